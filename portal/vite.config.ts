import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The page lives under /developers on the service's own origin, and asks nothing of any other. */
export default defineConfig({
  base: '/developers/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Of the contract the page takes words and numbers: without this they would bring every schema along.
    rolldownOptions: { treeshake: { moduleSideEffects: id => !/\/(contract|typebox)\//.test(id) } },
  },
})
