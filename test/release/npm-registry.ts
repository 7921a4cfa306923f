// A registry of npm on this machine that serves the packages of a release, and nothing else.
import { basename } from 'node:path'

export interface NpmRegistry extends Disposable {
  /** The environment variables of npm: this registry, and folders of its own. */
  readonly environment: Readonly<Record<string, string>>
  /** The requested paths that it does not have. */
  readonly unknown: readonly string[]
}

/** @param tarballs the paths of the packages @param home a folder for npm's own files */
export function serveNpmRegistry(tarballs: readonly string[], home: string): NpmRegistry {
  const unknown: string[] = []
  const manifests = new Map(
    tarballs.map((path) => {
      const text = Bun.spawnSync(['tar', '-xzOf', path, 'package/package.json']).stdout.toString()
      const manifest = JSON.parse(text) as { name: string; version: string }
      return [manifest.name, { manifest, path }] as const
    }),
  )
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, origin } = new URL(request.url)
      const path = decodeURIComponent(pathname)
      const file = tarballs.find((each) => path === `/-/${basename(each)}`)
      if (file) return new Response(Bun.file(file))
      const found = manifests.get(path.slice(1))
      if (found) return Response.json(await packumentOf(found.manifest, found.path, origin))
      unknown.push(path)
      return new Response('{}', { status: 404 })
    },
  })
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    npm_config_registry: `http://127.0.0.1:${server.port}/`,
    npm_config_cache: `${home}/npm`,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  return { environment, unknown, [Symbol.dispose]: () => void server.stop(true) }
}

async function packumentOf(
  manifest: { name: string; version: string },
  path: string,
  origin: string,
): Promise<object> {
  const hash = new Bun.CryptoHasher('sha512')
  for await (const block of Bun.file(path).stream()) hash.update(block)
  const dist = { tarball: `${origin}/-/${basename(path)}`, integrity: `sha512-${hash.digest('base64')}` }
  return {
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
  }
}
