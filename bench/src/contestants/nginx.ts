import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pinned } from '../cores.ts'
import { type Answer, exchange } from '../exchange.ts'
import { freePort } from '../free-port.ts'
import type { Contestant } from './contestant.ts'

/** A path and what nginx finds for it on the disk. */
export interface ServedFile {
  /** Without a query. */
  path: string
  answer: Answer
  /** The same body compressed, for those who ask for it. */
  compressed?: Buffer
}

/** nginx writes these itself, from the file. */
const ofFile = new Set(['content-type', 'content-length', 'content-encoding', 'etag', 'vary', 'x-request-id'])

/** nginx with one worker, with files in place of answers, and a limit for each address. `logs`: it writes a line for each call. */
export async function startNginx(
  files: readonly ServedFile[],
  { logs }: { logs: boolean },
): Promise<Contestant> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-nginx-'))
  // The worker may run as another user, who has to read.
  await chmod(directory, 0o755)
  await mkdir(join(directory, 'files'))
  for (const [index, { answer, compressed }] of files.entries()) {
    await writeFile(join(directory, 'files', `${index}.json`), answer.body)
    if (compressed) await writeFile(join(directory, 'files', `${index}.json.gz`), compressed)
  }
  const port = await freePort()
  const configuration = join(directory, 'nginx.conf')
  await writeFile(configuration, configurationOf(directory, port, { files, logs }))
  const [program, ...args] = pinned('server', ['nginx', '-p', directory, '-c', configuration, '-e', 'stderr'])
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await untilItAnswers(url)
  return {
    ...(logs ? { id: 'nginx-log', title: 'nginx, with its log' } : { id: 'nginx', title: 'nginx from disk' }),
    url,
    pid: Number(child.pid),
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true })
    },
  }
}

function configurationOf(
  directory: string,
  port: number,
  { files, logs }: { files: readonly ServedFile[]; logs: boolean },
): string {
  const locations = files.map(({ path, answer }, index) => {
    const headers = answer.headers
      .filter(([name]) => !ofFile.has(name.toLowerCase()))
      .map(([name, value]) => `      add_header ${name} "${value}";`)
    return `
    location = ${path} {
      alias ${directory}/files/${index}.json;
${headers.join('\n')}
      add_header x-request-id $request_id;
    }`
  })
  return `
daemon off;
error_log stderr crit;
pid ${directory}/nginx.pid;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log ${logs ? `${directory}/access.log` : 'off'};
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 72s;
  keepalive_requests 1000000000;
  open_file_cache max=100 inactive=1h;
  open_file_cache_valid 1h;
  etag on;
  gzip_static on;
  gzip_vary on;
  default_type "application/json; charset=utf-8";
  types { }
  # So much that it is never reached: each call is counted as one of its address.
  limit_req_zone $binary_remote_addr zone=calls:10m rate=500000r/s;
  server {
    listen 127.0.0.1:${port};
    limit_req zone=calls burst=500000 nodelay;
${locations.join('\n')}
  }
}
`
}

async function untilItAnswers(url: string): Promise<void> {
  const deadline = performance.now() + 5_000
  for (;;) {
    const isThere = await exchange(url, { path: '/' }).then(
      () => true,
      () => false,
    )
    if (isThere) return
    if (performance.now() > deadline) throw new Error('nginx does not answer')
    await sleep(50)
  }
}
