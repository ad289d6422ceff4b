import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describeEnd, describeFailure } from '../../server/src/store/embedded/processes.ts'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { makeCertificate } from '../../server/test/webhooks/certificate.ts'

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url))
const readyMs = 20_000

/** A proxy of deploy/ in front of local servers. */
export interface RunningProxy {
  /** Ports of 127.0.0.1: with TLS, and the one that redirects to it. */
  port: number
  plainPort: number
  /** The log so far. */
  logged(): Promise<string>
  stop(): Promise<void>
}

export interface ProxyKind {
  program: string
  /** The host name of requests. */
  name: string
  /** Its configuration, in deploy/. */
  file: string
  /** The path of the service, or of the first world. */
  basePath: string
  /** Starts it in front of one or several ports of 127.0.0.1; `otherPorts`: of the second world. `edit` changes the configuration. */
  start(
    upstreamPorts: number[],
    options?: { otherPorts?: number[]; edit?: (configuration: string) => string },
  ): Promise<RunningProxy>
}

/** The reason to skip tests of a program that is not installed; false if it is. */
export const without = (program: string, ...words: string[]): string | false =>
  spawnSync(program, words).error === undefined ? false : `${program} is not installed`

/** The text with a part replaced. Throws if the part does not occur. */
function replaced(text: string, changes: Record<string, string>): string {
  let changed = text
  for (const [from, to] of Object.entries(changes)) {
    if (!changed.includes(from)) throw new Error(`the configuration has no "${from}"`)
    changed = changed.replaceAll(from, to)
  }
  return changed
}

const siteFolder = join(folder, 'worlds/site')
const unchanged = (configuration: string) => configuration

const createNginx = (file: string, basePath: string): ProxyKind => ({
  program: 'nginx',
  name: 'api.game.example',
  file,
  basePath,
  async start(upstreamPorts, { otherPorts = [], edit = unchanged } = {}) {
    const dir = await scratch()
    const [port, plainPort] = [await freePort(), await freePort()]
    const { key, cert } = makeCertificate(`DNS:${this.name}`)
    const servers = (ports: number[]) =>
      ports.map(upstream => `server 127.0.0.1:${upstream} max_fails=1 fail_timeout=5s;`).join('\n')
    await writeFile(join(dir, 'cert.pem'), cert)
    await writeFile(join(dir, 'key.pem'), key, { mode: 0o600 })
    const site = replaced(edit(await readFile(join(folder, file), 'utf8')), {
      'listen 80;': `listen 127.0.0.1:${plainPort};`,
      'listen [::]:80;': '',
      'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
      'listen [::]:443 ssl http2;': '',
      '  server 127.0.0.1:8080 max_fails=1 fail_timeout=5s;': servers(upstreamPorts),
      ...(basePath !== '' && {
        '  server 127.0.0.1:8090 max_fails=1 fail_timeout=5s;': servers(
          otherPorts.length > 0 ? otherPorts : [await freePort()],
        ),
        '/opt/chancery/deploy/worlds/site': siteFolder,
      }),
      '/var/log/nginx/': `${dir}/logs/`,
      '/etc/letsencrypt/live/api.game.example/fullchain.pem': join(dir, 'cert.pem'),
      '/etc/letsencrypt/live/api.game.example/privkey.pem': join(dir, 'key.pem'),
    })
    await writeFile(join(dir, 'site.conf'), site)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    await writeFile(
      join(dir, 'nginx.conf'),
      [
        'daemon off;',
        'worker_processes 1;',
        `pid ${dir}/pid;`,
        'events {}',
        'http {',
        'access_log off;',
        ...paths.map(path => `${path}_temp_path ${dir}/${path};`),
        `include ${dir}/site.conf;`,
        '}',
      ].join('\n'),
    )
    const words = ['-e', 'stderr', '-p', dir, '-c', join(dir, 'nginx.conf')]
    return run(spawn('nginx', words, { stdio: ['ignore', 'ignore', 'pipe'] }), {
      dir,
      name: this.name,
      port,
      plainPort,
    })
  },
})

export const nginx = createNginx('proxy/nginx.conf', '')
export const nginxOfWorlds = createNginx('worlds/nginx.conf', '/eu1')

const createCaddy = (configuration: string, basePath: string): ProxyKind => ({
  program: 'caddy',
  // For localhost, Caddy issues a certificate itself.
  name: 'localhost',
  file: configuration,
  basePath,
  async start(upstreamPorts, { otherPorts = [], edit = unchanged } = {}) {
    const dir = await scratch()
    const [port, plainPort] = [await freePort(), await freePort()]
    // Without these options, Caddy would use its default ports and install its certificate on this machine.
    const options = [
      'admin off',
      'skip_install_trust',
      `https_port ${port}`,
      `http_port ${plainPort}`,
      'default_bind 127.0.0.1',
    ]
    // Several processes are several addresses of one name, which needs a DNS server.
    const upstreams = (ports: number[]) =>
      ports.length > 1
        ? `to ${ports.map(upstream => `127.0.0.1:${upstream}`).join(' ')}`
        : `dynamic a localhost ${ports[0]}`
    const file = replaced(edit(await readFile(join(folder, configuration), 'utf8')), {
      '\tgrace_period 30s\n': `\tgrace_period 1s\n${options.map(line => `\t${line}\n`).join('')}`,
      ...(basePath === ''
        ? upstreamPorts.length > 1 && {
            'dynamic a {$CHANCERY_HOST} {$CHANCERY_PORT}': upstreams(upstreamPorts),
          }
        : {
            'dynamic a eu1 8080': upstreams(upstreamPorts),
            'dynamic a eu2 8080': upstreams(otherPorts.length > 0 ? otherPorts : [await freePort()]),
            '/srv/worlds': siteFolder,
          }),
    })
    await writeFile(join(dir, 'Caddyfile'), file)
    const env = {
      ...process.env,
      HOME: dir,
      XDG_DATA_HOME: dir,
      XDG_CONFIG_HOME: dir,
      CHANCERY_SITE: this.name,
      CHANCERY_HOST: 'localhost',
      CHANCERY_PORT: String(upstreamPorts[0]),
    }
    const words = ['run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile']
    return run(spawn('caddy', words, { env, stdio: ['ignore', 'ignore', 'pipe'] }), {
      dir,
      name: this.name,
      port,
      plainPort,
    })
  },
})

export const caddy = createCaddy('proxy/Caddyfile', '')
export const caddyOfWorlds = createCaddy('worlds/Caddyfile', '/eu1')

/** A folder that the worker of the proxy can read as another user. */
async function scratch(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-proxy-'))
  await chmod(dir, 0o711)
  await mkdir(join(dir, 'logs'))
  return dir
}

/** Waits until the proxy accepts connections. Rejects with its output otherwise. */
async function run(
  child: ChildProcess,
  { dir, name, port, plainPort }: { dir: string; name: string; port: number; plainPort: number },
): Promise<RunningProxy> {
  let output = ''
  child.stderr?.on('data', text => {
    output += text
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await exited
    await rm(dir, { recursive: true, force: true })
  }
  const deadline = performance.now() + readyMs
  while (!(await acceptsTls(port, name))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      const ended = describeEnd(child.exitCode, child.signalCode)
      throw new Error(`the proxy did not start: ${describeFailure({ ended, output })}`)
    }
    await sleep(50)
  }
  const logged = async () => {
    const files = await readdir(join(dir, 'logs'))
    return [
      output,
      ...(await Promise.all(files.map(file => readFile(join(dir, 'logs', file), 'utf8')))),
    ].join('')
  }
  return { port, plainPort, logged, stop }
}

/** Checked by a TLS handshake: Caddy accepts connections before it has a certificate. */
function acceptsTls(port: number, servername: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false })
    socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('secureConnect', () => socket.destroy())
  })
}
