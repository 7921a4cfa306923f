// The npm packages of a release: `tollgate`, which starts the executable, and one per platform, which contains it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { describeNotices } from '../../app/commands/licenses.ts'
import { EXECUTABLE_MODE } from '../binary.ts'
import { gzipped } from './archives.ts'
import { type NoticedRelease, type Release, ROOT } from './files.ts'
import type { Platform } from './platforms.ts'
import { type TarFile, tarOf } from './tar.ts'

const STARTER = join(import.meta.dir, 'npm/tollgate.js')
const NODE = '>=18'

const packageName = ({ name }: Platform): string => `@tollgate/${name}`

/** Returns the packages in publishing order: `tollgate` last, since it depends on the others. */
export const packageFiles = ({
  folder,
  version,
  platforms,
}: Pick<Release, 'folder' | 'version' | 'platforms'>): readonly string[] => [
  ...platforms.map(({ name }) => join(folder, 'npm', `tollgate-${name}-${version}.tgz`)),
  join(folder, 'npm', `tollgate-${version}.tgz`),
]

/** Writes the packages to `npm/`. */
export async function writeNpmPackages(release: NoticedRelease): Promise<readonly string[]> {
  const paths = packageFiles(release)
  mkdirSync(join(release.folder, 'npm'), { recursive: true })
  const packages = [...release.platforms.map((platform) => ofPlatform(release, platform)), starter(release)]
  for (const [at, path] of paths.entries()) {
    const files = packages[at]?.() ?? []
    const tar = await tarOf(
      files.map((file) => ({ ...file, path: `package/${file.path}` })),
      '',
      release.source_date,
    )
    writeFileSync(path, gzipped(tar))
  }
  return paths
}

const manifestFile = (release: Release, fields: object): TarFile => {
  const { description, license } = manifest
  const all = { description, version: release.version, license, ...fields }
  return { path: 'package.json', content: `${JSON.stringify(all, undefined, 2)}\n` }
}

const licence = (): TarFile => ({ path: 'LICENSE', content: readFileSync(join(ROOT, 'LICENSE')) })

const starter = (release: Release) => (): TarFile[] => [
  manifestFile(release, {
    name: 'tollgate',
    type: 'module',
    bin: { tollgate: 'tollgate.js' },
    engines: { node: NODE },
    optionalDependencies: Object.fromEntries(
      release.platforms.map((platform) => [packageName(platform), release.version]),
    ),
  }),
  { path: 'tollgate.js', content: readFileSync(STARTER), mode: EXECUTABLE_MODE },
  { path: 'README.md', content: README },
  licence(),
]

const ofPlatform = (release: NoticedRelease, platform: Platform) => (): TarFile[] => {
  const { os, cpu, libc } = platform.npm
  return [
    manifestFile(release, {
      name: packageName(platform),
      os: [os],
      cpu: [cpu],
      ...(libc ? { libc: [libc] } : {}),
      // Otherwise Yarn's Plug'n'Play leaves the executable in an archive, from which it cannot be started.
      preferUnplugged: true,
    }),
    { path: 'tollgate', content: readFileSync(release.executable(platform)), mode: EXECUTABLE_MODE },
    { path: 'README.md', content: `The executable that the package tollgate starts on ${platform.name}.\n` },
    { path: 'THIRD-PARTY-NOTICES.txt', content: `${describeNotices(release.notices(platform))}\n` },
    licence(),
  ]
}

const README = `# Tollgate

${manifest.description}, for a person who runs it on one machine and shares or resells access.

\`\`\`sh
npx tollgate                    # serves on 127.0.0.1:8080, with its data in ./data
npx tollgate key create demo    # and every other command: npx tollgate help
\`\`\`

The data folder is \`data\` in the folder in which you call it; \`--data\` or the variable \`TOLLGATE_DATA\` names another. A supervisor
such as systemd runs the executable itself, which is the file \`tollgate\` in the package \`@tollgate/…\` of your platform.
`
