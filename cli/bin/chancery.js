#!/usr/bin/env node
// Plain JavaScript for any installed Node: it only finds the Node that runs TypeScript directly.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const nodeMajorMin = 24
const parentCheckMs = 500
const main = fileURLToPath(new URL('../start/main.js', import.meta.url))

function findPinnedNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`)
    const path = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(path) ? path : undefined
  } catch {
    // Not installed, or not made for this platform.
    return undefined
  }
}

function findNode() {
  const isNewEnough = Number.parseInt(process.versions.node, 10) >= nodeMajorMin
  return findPinnedNode() ?? (isNewEnough ? process.execPath : undefined)
}

// V8 lets the young generation grow to twice this by default, and the old one to four times what is in use: 80 MB more each
// (docs/decisions/0036 and 0056). With a limit of 1 GB it collects the old one earlier. NODE_OPTIONS may set others.
const servingFlags = ['--max-semi-space-size=16', '--max-old-space-size=1024'].filter(
  flag => !process.env.NODE_OPTIONS?.includes(flag.split('=')[0]),
)

const isServing = command => command === 'serve' || command === 'demo'

function runOn(node) {
  const words = process.argv.slice(2)
  const flags = isServing(words[0]) ? servingFlags : []
  const child = spawn(node, [...flags, main, ...words], { stdio: 'inherit' })
  // A terminal also signals the child, which counts repeated signals as one.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  // npx runs this in a shell, which does not forward signals: the end of the parent is a stop.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, parentCheckMs)
  if (process.env.npm_lifecycle_event === undefined) clearInterval(watch)
  child.on('error', err => {
    process.stderr.write(`chancery: ${node} does not start (${err.message}): run npm install again\n`)
    process.exitCode = 1
  })
  child.on('exit', (status, signal) => {
    clearInterval(watch)
    for (const forwarded of signals) process.removeAllListeners(forwarded)
    if (signal === null) {
      process.exitCode = status
      return
    }
    // End by the same signal as the child. The exit status is a fallback if this process survives it.
    process.exitCode = 128 + constants.signals[signal]
    process.kill(process.pid, signal)
  })
}

const node = findNode()
if (node === undefined) {
  process.stderr.write(
    `chancery: needs Node ${nodeMajorMin} or newer (this is ${process.version}): install it, or run npm install with optional dependencies, which bring one\n`,
  )
  process.exitCode = 1
} else {
  runOn(node)
}
