import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The page is served under /developers and requests no other origin. */
export default defineConfig({
  base: '/developers/',
  // Scripts find each other and their styles beside themselves, at whatever path the page is served.
  experimental: {
    renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The page uses constants of the contract: without this, the bundle would contain all its schemas.
    rolldownOptions: { treeshake: { moduleSideEffects: id => !/\/(contract|typebox)\//.test(id) } },
  },
})
