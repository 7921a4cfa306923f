// Sharp in the executable: a bundler plugin replaces its loader by one that embeds the addon and libvips.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'

const SHARP_LOADER = /[\\/]sharp[\\/]dist[\\/]sharp\.mjs$/
const NATIVE_FILE = /\.(node|dll|dylib)$|\.so(\.\d+)*$/
const UNPACK = join(import.meta.dir, 'unpack.ts')

interface NativeFile {
  /** Relative to the folder of sharp's packages, where the addon's rpath looks. */
  path: string
  source: string
}

/**
 * The plugin for `Bun.build`. At run time sharp looks for its addon in node_modules, which an executable does not have.
 * This embeds the addon and libraries of the platform that builds; the executable unpacks them once.
 */
export const sharpPlugin: BunPlugin = {
  name: 'sharp',
  setup(build) {
    build.onLoad({ filter: SHARP_LOADER }, ({ path }) => ({
      contents: loaderOf(join(dirname(path), '..')),
      loader: 'js',
    }))
  },
}

function loaderOf(sharp_folder: string): string {
  const files = nativeFilesOf(sharp_folder)
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

/** The libraries in sharp's optional packages; only the platform's own are installed. */
function nativeFilesOf(sharp_folder: string): NativeFile[] {
  const { optionalDependencies } = JSON.parse(readFileSync(join(sharp_folder, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  return Object.keys(optionalDependencies)
    .map((name) => packageFolder(name, sharp_folder))
    .filter((folder) => folder !== undefined)
    .flatMap((folder) =>
      readdirSync(join(folder, 'lib'))
        .filter((file) => NATIVE_FILE.test(file))
        .map((file) => ({
          path: `${basename(folder)}/lib/${file}`,
          source: join(folder, 'lib', file),
        })),
    )
}

/** The folder of an optional package; undefined where it is for another platform. */
export function packageFolder(name: string, from: string): string | undefined {
  try {
    return dirname(Bun.resolveSync(`${name}/package`, from))
  } catch {
    // Not installed.
    return undefined
  }
}

/** Builds with different contents unpack to different folders, so that an upgrade never mixes them. */
function nameOf(files: readonly NativeFile[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const { path, source } of files) hash.update(path).update(readFileSync(source))
  return `sharp-${hash.digest('hex').slice(0, 16)}`
}
