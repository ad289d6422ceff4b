import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../server/src/store/embedded/socket.ts'
import { fetchOnce, headerOf } from '../load.ts'
import { startProgram, temporaryDirectory, untilListening } from '../servers.ts'
import type { Target } from './workloads.ts'

/** nginx writes these itself, from the file. */
const fileHeaders = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'etag',
  'vary',
  'x-request-id',
])

/**
 * nginx with one worker that serves the recorded responses of some paths from disk, with a limit for each address. `logs`: with an
 * access log, as Debian configures it.
 */
export async function startNginx(
  source: string,
  paths: readonly string[],
  { logs }: { logs: boolean },
): Promise<Target> {
  const directory = await temporaryDirectory()
  await chmod(directory, 0o755)
  const locations: string[] = []
  for (const [index, path] of paths.entries()) {
    const file = join(directory, `${index}.json`)
    const response = await fetchOnce(source, { path })
    await writeFile(file, response.body)
    const compressed = await fetchOnce(source, { path, headers: { 'accept-encoding': 'gzip' } })
    if (headerOf(compressed, 'content-encoding') === 'gzip') await writeFile(`${file}.gz`, compressed.body)
    const headers = response.headers.filter(([name]) => !fileHeaders.has(name.toLowerCase()))
    locations.push(`location = ${path.split('?')[0]} { alias ${file}; add_header x-request-id $request_id;
      ${headers.map(([name, value]) => `add_header ${name} "${value}";`).join('\n      ')} }`)
  }
  const port = await freePort()
  const configuration = join(directory, 'nginx.conf')
  await writeFile(
    configuration,
    `
daemon off;
error_log stderr crit;
pid ${directory}/nginx.pid;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log ${logs ? join(directory, 'access.log') : 'off'};
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
  # Each request is counted for its address; the limit is never reached.
  limit_req_zone $binary_remote_addr zone=calls:10m rate=500000r/s;
  server {
    listen 127.0.0.1:${port};
    limit_req zone=calls burst=500000 nodelay;
    ${locations.join('\n    ')}
  }
}
`,
  )
  const { pid } = await startProgram(
    ['nginx', '-p', directory, '-c', configuration, '-e', 'stderr'],
    { side: 'server', directory },
    () => untilListening(port),
  )
  return {
    ...(logs ? { id: 'nginx-log', title: 'nginx, with its log' } : { id: 'nginx', title: 'nginx from disk' }),
    url: `http://127.0.0.1:${port}`,
    pid,
  }
}
