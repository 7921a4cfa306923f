// The Debian packages of a release, for amd64 and arm64: written without Debian's tools, so that every machine produces the same bytes.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip, zstdCompress } from 'node:zlib'
import { describeNotices } from '../../app/commands/licenses.ts'
import { arArchive } from './debian/ar.ts'
import { debianUnit } from './debian/unit.ts'
import { type NoticedRelease, type Release, ROOT } from './files.ts'
import type { Platform } from './platforms.ts'
import { foldersOf, type TarFile, tarOf } from './tar.ts'

/** A placeholder: packages are not published yet. A publisher must put an address here, as policy 3.3 requires. */
const MAINTAINER = 'The Tollgate authors <tollgate@localhost>'
/**
 * The requirements of the dynamic symbols in the runtime, the image library and its addon, on both platforms (`objdump -T`): GLIBC_2.28,
 * GLIBCXX_3.4.22 and CXXABI_1.3.11, which came with GCC 7 (https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html).
 */
const LIBRARIES = 'libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 7)'
const PROGRAM_MODE = 0o755
const SECRET_MODE = 0o600
/** dpkg reads zstd since 1.21.18 (bookworm has 1.21.22). Level 3 compresses better than gzip's best level, in a tenth of the time. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
const BEST = { level: 9 }
const KIB = 1024

const own = (name: string): string => readFileSync(join(import.meta.dir, 'debian', name), 'utf8')
const ofProject = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Writes a package for each built platform that Debian has. */
export async function writeDebianPackages(release: NoticedRelease): Promise<readonly string[]> {
  const paths: string[] = []
  // One after the other: each takes 400 MB of memory.
  for (const platform of release.platforms) {
    if (platform.debian) paths.push(await writePackage(release, platform, platform.debian))
  }
  return paths
}

async function writePackage(
  release: NoticedRelease,
  platform: Platform,
  architecture: string,
): Promise<string> {
  const { version, folder, source_date } = release
  const files = await filesOf(release, platform)
  const conffiles = files.filter(({ path }) => path.startsWith('etc/'))
  const control: TarFile[] = [
    { path: 'control', content: controlOf(files, { version, architecture }) },
    { path: 'conffiles', content: conffiles.map(({ path }) => `/${path}\n`).join('') },
    { path: 'md5sums', content: sumsOf(files.filter((file) => !conffiles.includes(file))) },
    { path: 'templates', content: own('templates') },
    ...['postinst', 'prerm', 'postrm'].map((name) => ({
      path: name,
      content: own(name),
      mode: PROGRAM_MODE,
    })),
  ]
  const compress = promisify(zstdCompress)
  const members = [
    { name: 'debian-binary', content: Buffer.from('2.0\n') },
    { name: 'control.tar.zst', content: await compress(await tarOf(control, './', source_date), ZSTD) },
    { name: 'data.tar.zst', content: await compress(await tarOf(files, './', source_date), ZSTD) },
  ]
  const path = join(folder, `tollgate_${version}_${architecture}.deb`)
  writeFileSync(path, arArchive(members, source_date))
  return path
}

async function filesOf(release: NoticedRelease, platform: Platform): Promise<TarFile[]> {
  const packed = async (text: string) => promisify(gzip)(text, BEST)
  const documents = 'usr/share/doc/tollgate'
  return [
    {
      path: 'usr/bin/tollgate',
      content: readFileSync(release.executable(platform)),
      mode: PROGRAM_MODE,
    },
    // Debian's policy forbids /lib, which is a link (10.1): https://www.debian.org/doc/debian-policy/ch-files.html
    {
      path: 'usr/lib/systemd/system/tollgate.service',
      content: debianUnit(ofProject('data/tollgate.service')),
    },
    { path: 'usr/lib/sysusers.d/tollgate.conf', content: own('sysusers.conf') },
    { path: 'usr/share/man/man1/tollgate.1.gz', content: await packed(own('tollgate.1')) },
    { path: 'etc/tollgate.env', content: own('tollgate.env'), mode: SECRET_MODE },
    { path: `${documents}/copyright`, content: own('copyright') + licenceOf(ofProject('LICENSE')) },
    { path: `${documents}/changelog.gz`, content: await packed(changelogOf(release)) },
    {
      path: `${documents}/THIRD-PARTY-NOTICES.txt.gz`,
      content: await packed(`${describeNotices(release.notices(platform))}\n`),
    },
    { path: `${documents}/CHANGELOG.md.gz`, content: await packed(ofProject('src/CHANGELOG.md')) },
    {
      path: `${documents}/examples/tollgate.example.toml`,
      content: ofProject('data/tollgate.example.toml'),
    },
  ]
}

/** Returns the control fields of Debian's policy, 5.3. Each file's size is rounded up to KiB. */
function controlOf(
  files: readonly TarFile[],
  { version, architecture }: { version: string; architecture: string },
): string {
  const sizes = files.map(({ content }) => Math.ceil(Buffer.byteLength(content) / KIB))
  const installed_kib = sizes.reduce((sum, size) => sum + size, foldersOf(files).length)
  return [
    'Package: tollgate',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${installed_kib}`,
    `Depends: ${LIBRARIES}, debconf (>= 0.5) | debconf-2.0, systemd | systemd-standalone-sysusers | systemd-sysusers`,
    'Section: net',
    'Priority: optional',
    'Description: paid gateway in front of hosted models',
    ' Serves the protocols of Gemini, Anthropic and OpenAI in front of your own',
    ' providers. Accounts have prepaid balances and API keys, each call is charged',
    ' exactly, and a console in the browser shows usage and money.',
    '',
  ].join('\n')
}

const sumsOf = (files: readonly TarFile[]): string =>
  files
    .map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`)
    .sort()
    .join('')

/** Returns the DEP-5 paragraph after its `Files: *`. */
function licenceOf(text: string): string {
  const [, holder = ''] = /^Copyright \(c\) (.+)$/m.exec(text) ?? []
  const lines = text.trimEnd().split('\n').slice(1)
  return `Copyright: ${holder}\nLicense: MIT\n${lines.map((line) => ` ${line || '.'}\n`).join('')}`
}

/** Returns a changelog in Debian's format, which tools read for the version; the content is in the project's changelog. */
const changelogOf = ({ version, source_date }: Release): string =>
  [
    `tollgate (${version}) stable; urgency=medium`,
    '',
    '  * What changed, and what to read before an upgrade: CHANGELOG.md.gz.',
    '',
    ` -- ${MAINTAINER}  ${source_date.toUTCString().replace('GMT', '+0000')}`,
    '',
  ].join('\n')
