// nginx in front of gateways, if it is installed: requests go to them in turn, at the root of its host or below a path.
import { writeFileSync } from 'node:fs'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { temporary } from './temporary.ts'
import { findTool, NGINX } from './tools.ts'

const PROGRAM = findTool(NGINX)
const MISSING = `The tests of several gateways behind a proxy need nginx. ${NGINX.install}`

export const hasNginx = PROGRAM !== undefined
if (!hasNginx) process.stderr.write(`${MISSING}\n`)

export interface Nginx extends AsyncDisposable {
  url: string
}

interface NginxOptions {
  port?: number
  /** The path of the gateways; nothing is served outside it. */
  path?: string
  /** Whether nginx removes the path before it passes a request on. */
  strips?: boolean
}

/** @param servers their addresses */
export async function startNginx(servers: readonly URL[], options: NginxOptions = {}): Promise<Nginx> {
  if (PROGRAM === undefined) throw new Error(MISSING)
  const folder = temporary()
  const { port = freePort(), path = '', strips = false } = options
  const location = { path, target: strips ? '/' : '' }
  const file = folder.at('nginx.conf')
  writeFileSync(file, configuration(folder.path, port, servers, location))
  const child = Bun.spawn([PROGRAM, '-e', 'stderr', '-p', folder.path, '-c', file], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const url = `http://127.0.0.1:${port}`
  await eventually('nginx listens', async () => {
    if (child.exitCode !== null) throw new Error(await child.stderr.text())
    return fetch(`${url}${path}/healthz`).then(
      () => true,
      () => false,
    )
  })
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      folder[Symbol.dispose]()
    },
  }
}

/** The configuration of the operator guide, in one process without special rights. */
const configuration = (
  folder: string,
  port: number,
  servers: readonly URL[],
  { path, target }: { path: string; target: string },
): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 2048; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  upstream gateways {
    ${servers.map(({ host }) => `server ${host};`).join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    client_max_body_size 101m;
    location ${path}/ {
      proxy_pass http://gateways${target};
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Connection '';
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 600s;
      proxy_send_timeout 600s;
    }
  }
}
`
