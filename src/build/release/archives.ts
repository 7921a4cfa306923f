// The archives of a release: a tar.gz per platform, with the executable, the systemd unit, the example catalogue, the changelog and the licences.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeNotices } from '../../app/commands/licenses.ts'
import { EXECUTABLE_MODE } from '../binary.ts'
import { type NoticedRelease, ROOT } from './files.ts'
import type { Platform } from './platforms.ts'
import { type TarFile, tarOf } from './tar.ts'

const ofProject = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Compresses a tar in half of zlib's time, without a timestamp. */
export const gzipped = (tar: Uint8Array): Uint8Array =>
  Bun.gzipSync(new Uint8Array(tar), { library: 'libdeflate', level: 6 })

/** Writes `tollgate-VERSION-PLATFORM.tar.gz` for each platform. */
export async function writeArchives(release: NoticedRelease): Promise<readonly string[]> {
  const paths: string[] = []
  // One after the other: each takes 400 MB of memory.
  for (const platform of release.platforms) {
    const name = `tollgate-${release.version}-${platform.name}`
    const path = join(release.folder, `${name}.tar.gz`)
    const files = filesOf(release, platform).map((file) => ({ ...file, path: `${name}/${file.path}` }))
    writeFileSync(path, gzipped(await tarOf(files, '', release.source_date)))
    paths.push(path)
  }
  return paths
}

const filesOf = (release: NoticedRelease, platform: Platform): TarFile[] => [
  { path: 'tollgate', content: readFileSync(release.executable(platform)), mode: EXECUTABLE_MODE },
  { path: 'tollgate.service', content: ofProject('data/tollgate.service') },
  { path: 'tollgate.example.toml', content: ofProject('data/tollgate.example.toml') },
  // `tollgate upgrade` shows its text.
  { path: 'CHANGELOG.md', content: ofProject('src/CHANGELOG.md') },
  { path: 'LICENSE', content: ofProject('LICENSE') },
  { path: 'THIRD-PARTY-NOTICES.txt', content: `${describeNotices(release.notices(platform))}\n` },
  { path: 'README.txt', content: readmeOf(release.version, platform) },
]

function readmeOf(version: string, { name, npm }: Platform): string {
  const shared = `Tollgate ${version} for ${name}: a paid gateway in front of hosted models.

Try it. It keeps its data in the folder "data" of the working directory, and
prints the address of its console, a key and a command to paste:

  ./tollgate serve

`
  const musl = `It needs Alpine 3.20 or newer (musl 1.2.5), and: apk add libstdc++

`
  const service = `Install it as a service of systemd, with its data in /var/lib/tollgate:

  sudo install -D -m 755 tollgate /usr/local/bin/tollgate
  sudo install -m 644 tollgate.service /etc/systemd/system/tollgate.service
  sudo systemctl daemon-reload
  sudo systemctl enable --now tollgate
  sudo tollgate console link --data /var/lib/tollgate

tollgate.example.toml is the catalogue that the first start writes.
`
  const mac = `tollgate.example.toml is the catalogue that the first start writes, and
tollgate.service a unit for Linux. If macOS does not open a downloaded program:

  xattr -d com.apple.quarantine tollgate
`
  const closing = `
"./tollgate help" lists the commands, "./tollgate doctor" looks for problems.
`
  return shared + (npm.libc === 'musl' ? musl : '') + (npm.os === 'darwin' ? mac : service) + closing
}
