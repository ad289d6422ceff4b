import { execFile } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, matchesGlob, relative } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** The contents of an image without its base image, in a folder. */
export interface LaidOutImage {
  root: string
  env: Record<string, string>
  entrypoint: string[]
}

type Instruction = [name: string, rest: string]

/** The instructions of a Dockerfile, continued lines joined. */
function instructionsIn(dockerfile: string): Instruction[] {
  return dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line): Instruction[] => {
      const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
      return name === undefined || rest === undefined ? [] : [[name, rest]]
    })
}

/** Returns whether .dockerignore includes a path. Supports only the patterns that the file has. */
function contextOf(dockerignore: string): (path: string) => boolean {
  const lines = dockerignore.split('\n')
  const sent = lines.filter(line => line.startsWith('!')).map(line => line.slice(1))
  const leftOut = lines.filter(line => line.startsWith('**/')).map(line => line.slice(3))
  return path =>
    path === '' ||
    (sent.some(one => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`)) &&
      !path.split('/').some(part => leftOut.some(pattern => matchesGlob(part, pattern))))
}

/**
 * Runs a Dockerfile with a folder for each stage: COPY, and RUN of Node and npm. System commands (links, owners) are skipped, and the
 * Node of the base image is the one that runs this.
 */
export async function layOutImage(repository: string, dir: string): Promise<LaidOutImage> {
  const isSent = contextOf(await readFile(join(repository, '.dockerignore'), 'utf8'))
  const stages = new Map<string, string>()
  const image: LaidOutImage = { root: dir, env: {}, entrypoint: [] }
  let workdir = '/'
  const inImage = (path: string) => join(image.root, path.startsWith('/') ? path : join(workdir, path))

  async function copy(rest: string): Promise<void> {
    const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? []
    const from = stage === undefined ? repository : stages.get(stage)
    if (from === undefined) throw new Error(`COPY ${rest}: no such stage`)
    const words = paths.split(' ')
    const to = words.pop() ?? ''
    for (const path of words) {
      const target = to.endsWith('/') ? join(inImage(to), basename(path)) : inImage(to)
      await mkdir(dirname(target), { recursive: true })
      const filter = (file: string) => stage !== undefined || isSent(relative(repository, file))
      await cp(join(from, path), target, { recursive: true, filter })
    }
  }

  async function run(command: string): Promise<void> {
    if (!/^(node|npm) /.test(command)) return
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const env = { ...process.env, PATH: path, npm_config_prefer_offline: 'true' }
    await execute('sh', ['-c', command], { cwd: inImage('.'), env, maxBuffer: 1 << 26 })
  }

  for (const [name, rest] of instructionsIn(await readFile(join(repository, 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') {
      const stage = / AS (\S+)$/.exec(rest)?.[1] ?? 'last'
      image.root = join(dir, stage)
      stages.set(stage, image.root)
    } else if (name === 'WORKDIR') {
      workdir = rest
      await mkdir(inImage('.'), { recursive: true })
    } else if (name === 'COPY') await copy(rest)
    else if (name === 'RUN') await run(rest)
    else if (name === 'ENV')
      for (const [, key = '', quoted, word = ''] of rest.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g))
        image.env[key] = quoted ?? word
    else if (name === 'ENTRYPOINT') image.entrypoint = JSON.parse(rest) as string[]
  }
  return image
}
