import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The page lives under /developers on the service's own origin, and asks nothing of any other. */
export default defineConfig({
  base: '/developers/',
  plugins: [react()],
  build: { outDir: 'dist', emptyOutDir: true, sourcemap: false },
})
