// Sharp in the executable: a bundler plugin that replaces its loader with one that embeds the addon and libvips.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BunPlugin } from 'bun'

const SHARP_LOADER = /[\\/]sharp[\\/]dist[\\/]sharp\.mjs$/
const NATIVE_FILE = /\.(node|dll|dylib)$|\.so(\.\d+)*$/
const UNPACK = join(import.meta.dir, 'unpack.ts')

interface NativeFile {
  /** Relative to the folder of sharp's packages, which the addon's rpath refers to. */
  path: string
  source: string
}

/**
 * Creates the plugin for `Bun.build`. At run time sharp searches for its addon in node_modules, which an executable does not have.
 * The plugin embeds the addon and libraries; the executable unpacks them once.
 * @param root the folder whose node_modules has sharp's packages for the executable's platform
 */
export const sharpPlugin = (root: string): BunPlugin => ({
  name: 'sharp',
  setup(build) {
    build.onLoad({ filter: SHARP_LOADER }, () => ({ contents: loaderOf(root), loader: 'js' }))
  },
})

function loaderOf(root: string): string {
  const files = nativeFolders(root).flatMap(nativeFilesOf)
  const addons = files.filter(({ path }) => path.endsWith('.node'))
  const [addon] = addons
  if (!addon || addons.length > 1) {
    throw new Error(
      `sharp: needs the addon of exactly one platform, found ${addons.length}; run \`bun install\` again`,
    )
  }
  const quote = JSON.stringify
  return [
    `import { cacheFolders, loadAddon } from ${quote(UNPACK)}`,
    ...files.map(({ source }, i) => `import file_${i} from ${quote(source)} with { type: 'file' }`),
    `const files = [`,
    ...files.map(({ path }, i) => `  { path: ${quote(path)}, embedded_path: file_${i} },`),
    `]`,
    `export default loadAddon(${quote(nameOf(files))}, ${quote(addon.path)}, files, cacheFolders(process.env))`,
  ].join('\n')
}

const nativeFilesOf = (folder: string): NativeFile[] =>
  readdirSync(join(folder, 'lib'))
    .filter((file) => NATIVE_FILE.test(file))
    .map((file) => ({ path: `${basename(folder)}/lib/${file}`, source: join(folder, 'lib', file) }))

/** Returns the folders of sharp's installed optional packages: the addon and libvips. @param root as in `sharpPlugin` */
export function nativeFolders(root: string): string[] {
  const packages = join(root, 'node_modules')
  const { optionalDependencies } = JSON.parse(readFileSync(join(packages, 'sharp/package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  return Object.keys(optionalDependencies)
    .map((name) => join(packages, name))
    .filter((folder) => existsSync(folder))
}

/** Returns a folder name that depends on the content, so that an upgrade never mixes files of two builds. */
function nameOf(files: readonly NativeFile[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const { path, source } of files) hash.update(path).update(readFileSync(source))
  return `sharp-${hash.digest('hex').slice(0, 16)}`
}
