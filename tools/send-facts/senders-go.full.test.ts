import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sources, testSender } from './senders.ts'

const skip = spawnSync('go', ['version']).status === 0 ? undefined : 'go is not installed'

/** A program of the file and its driver. */
function build(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-go-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'chancerygame'))
  copyFileSync(join(sources, 'chancerygame.go'), join(folder, 'chancerygame/chancerygame.go'))
  copyFileSync(fileURLToPath(new URL('./driver.go.txt', import.meta.url)), join(folder, 'main.go'))
  writeFileSync(join(folder, 'go.mod'), 'module example\n\ngo 1.19\n')
  const env = {
    ...process.env,
    GOFLAGS: '-mod=mod',
    GOCACHE: join(folder, 'cache'),
    GOPATH: join(folder, 'path'),
  }
  execFileSync('go', ['vet', './...'], { cwd: folder, env })
  execFileSync('go', ['build', '-o', 'driver', '.'], { cwd: folder, env })
  return join(folder, 'driver')
}

testSender('Go', skip ? ['go'] : [build()], skip)
