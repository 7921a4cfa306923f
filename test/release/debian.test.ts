// The Debian package: its content, as Debian's own tools read it, and a second build with the same bytes.

import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { arArchive } from '../../src/build/release/debian/ar.ts'
import { debianUnit } from '../../src/build/release/debian/unit.ts'
import { writeDebianPackages } from '../../src/build/release/debian.ts'
import { PLATFORMS } from '../../src/build/release/platforms.ts'
import { temporary } from '../support/temporary.ts'

const ROOT = join(import.meta.dir, '../..')
const UNIT = readFileSync(join(ROOT, 'data/tollgate.service'), 'utf8')
const SOURCE_DATE = new Date('2026-11-20T10:00:00Z')

const run = (...command: string[]) => {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command, { env: { ...process.env, TZ: 'UTC' } })
  return { out: stdout.toString(), errors: stderr.toString(), status: exitCode }
}

/** The packages of all platforms, with a program of a few bytes. */
async function packages(folder: string, version = '1.2.3'): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true })
  return await writeDebianPackages({
    version,
    folder,
    platforms: PLATFORMS,
    source_date: SOURCE_DATE,
    notices: ({ name }) => ({ notices: [], texts: { [name]: 'a licence' } }),
    executable({ name }) {
      writeFileSync(join(folder, name), `the program for ${name}`)
      return join(folder, name)
    },
  })
}

describe('the unit', () => {
  const unit = debianUnit(UNIT)

  test("is that of data/, with the package's program and user", () => {
    expect(unit).toContain('ExecStart=/usr/bin/tollgate serve --data /var/lib/tollgate\n')
    expect(unit).toContain('\nUser=tollgate\nGroup=tollgate\n')
    expect(unit).not.toContain('DynamicUser')
    expect(unit).not.toContain('/usr/local')
    expect(unit).not.toContain('/etc/systemd')
    const settings = (text: string) => text.split('\n').filter((line) => /^\w+=/.test(line))
    const changed = settings(unit).filter((line) => !settings(UNIT).includes(line))
    expect(changed.map((line) => line.split('=')[0])).toEqual(['ExecStart', 'ExecStartPost', 'User', 'Group'])
  })

  test.each([
    ['its program', UNIT.replaceAll('/usr/local/bin/', '/opt/')],
    ['its user', UNIT.replace('DynamicUser=yes', 'DynamicUser=no')],
    ['its installation', UNIT.slice(UNIT.indexOf('[Unit]'))],
  ])('is refused if the text about %s has changed', (_, changed) => {
    expect(() => debianUnit(changed)).toThrow('not found')
  })

  test.if(Bun.which('systemd-analyze') !== null)("passes systemd's own check", () => {
    const path = folder.at('tollgate-tried.service')
    writeFileSync(path, unit.replaceAll('/usr/bin/tollgate', process.execPath))
    expect(run('systemd-analyze', 'verify', path)).toEqual({ out: '', errors: '', status: 0 })
    const { out } = run('systemd-analyze', 'security', '--offline=yes', path)
    expect(Number(/exposure level for \S+: (\d+\.\d+)/.exec(out)?.[1])).toBeLessThan(2)
  })
})

test('an ar archive refuses a name of more than 16 characters', () => {
  const content = new Uint8Array()
  expect(() => arArchive([{ name: 'a-name-of-17-char', content }], SOURCE_DATE)).toThrow('at most 16')
})

const folder = temporary()
afterAll(() => folder[Symbol.dispose]())
const [amd64 = '', arm64 = '', ...more] = await packages(folder.at('first'))

describe.skipIf(Bun.which('dpkg-deb') === null)("Debian's own tools", () => {
  const unpacked = folder.at('unpacked')
  run('dpkg-deb', '--raw-extract', amd64, unpacked)
  const read = (path: string) => readFileSync(join(unpacked, path), 'utf8')
  const field = (file: string, name: string) => run('dpkg-deb', '--field', file, name).out.trim()

  test('read a package for each of the two platforms', () => {
    expect(more).toEqual([])
    expect([amd64, arm64].map((path) => path.split('/').at(-1))).toEqual([
      'tollgate_1.2.3_amd64.deb',
      'tollgate_1.2.3_arm64.deb',
    ])
    for (const [path, architecture] of [
      [amd64, 'amd64'],
      [arm64, 'arm64'],
    ] as const) {
      expect(field(path, 'Architecture')).toBe(architecture)
      expect(field(path, 'Version')).toBe('1.2.3')
    }
    expect(read('usr/bin/tollgate')).toBe('the program for linux-x64')
    expect(run('dpkg-deb', '--fsys-tarfile', arm64).out).toContain('the program for linux-arm64')
  })

  test('find every file owned by root, with its rights, and nothing in a folder that is a link', () => {
    const { out } = run('dpkg-deb', '--contents', amd64)
    const rows = out
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/))
    expect(rows.filter(([, owner]) => owner !== 'root/root')).toEqual([])
    expect(rows.filter(([, , , date, time]) => `${date} ${time}` !== '2026-11-20 10:00')).toEqual([])
    const files = rows.filter(([mode = '']) => mode.startsWith('-'))
    expect(files.map(([mode, , , , , path]) => `${mode} ${path}`)).toEqual([
      '-rw------- ./etc/tollgate.env',
      '-rwxr-xr-x ./usr/bin/tollgate',
      '-rw-r--r-- ./usr/lib/systemd/system/tollgate.service',
      '-rw-r--r-- ./usr/lib/sysusers.d/tollgate.conf',
      '-rw-r--r-- ./usr/share/doc/tollgate/CHANGELOG.md.gz',
      '-rw-r--r-- ./usr/share/doc/tollgate/THIRD-PARTY-NOTICES.txt.gz',
      '-rw-r--r-- ./usr/share/doc/tollgate/changelog.gz',
      '-rw-r--r-- ./usr/share/doc/tollgate/copyright',
      '-rw-r--r-- ./usr/share/doc/tollgate/examples/tollgate.example.toml',
      '-rw-r--r-- ./usr/share/man/man1/tollgate.1.gz',
    ])
    expect(read('usr/lib/systemd/system/tollgate.service')).toBe(debianUnit(UNIT))
  })

  test('find the sums of all files but the settings, and their size', () => {
    const sums = read('DEBIAN/md5sums').trim().split('\n')
    expect(sums).toHaveLength(9)
    for (const line of sums) {
      const [sum = '', path = ''] = line.split('  ')
      const content = readFileSync(join(unpacked, path))
      expect(`${path} ${createHash('md5').update(content).digest('hex')}`).toBe(`${path} ${sum}`)
    }
    expect(read('DEBIAN/conffiles')).toBe('/etc/tollgate.env\n')
    const entries = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter(
      ({ parentPath, name }) => !`${parentPath}/${name}`.includes('DEBIAN'),
    )
    const sizes_kib = entries.map((entry) =>
      entry.isFile() ? Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 1024) : 1,
    )
    expect(Number(field(amd64, 'Installed-Size'))).toBe(sizes_kib.reduce((sum, size) => sum + size))
  })

  test.if(Bun.which('objdump') !== null)(
    'require libraries as new as the runtime and libvips need, and no newer',
    () => {
      const libvips = new Bun.Glob('node_modules/@img/sharp*-linux-*/lib/*.{node,so.*}').scanSync(ROOT)
      const needed = [process.execPath, ...libvips].flatMap((file) => {
        const { out } = run('objdump', '-T', file)
        return [...out.matchAll(/\((GLIBC|GLIBCXX|CXXABI)_([\d.]+)\)/g)].map(
          ([, name = '', number = '']) => [name, number] as const,
        )
      })
      const newest = (of: string) =>
        needed
          .filter(([name]) => name === of)
          .map(([, number]) => number)
          .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
          .at(-1)
      expect(['GLIBC', 'GLIBCXX', 'CXXABI'].map(newest)).toEqual(['2.28', '3.4.22', '1.3.11'])
      expect(field(amd64, 'Depends')).toStartWith('libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 7), ')
    },
  )

  test.each(['postinst', 'prerm', 'postrm'])('can run %s, which is valid shell', (name) => {
    const path = join(unpacked, 'DEBIAN', name)
    expect(statSync(path).mode & 0o777).toBe(0o755)
    expect(run('sh', '-n', path)).toEqual({ out: '', errors: '', status: 0 })
  })

  test('find the licence, and the notices of this executable', () => {
    const lines = read('usr/share/doc/tollgate/copyright').split('\n')
    expect(lines).toContain('License: MIT')
    expect(lines.some((line) => /^Copyright: \d{4} \S/.test(line))).toBe(true)
    const notices = gunzipSync(
      readFileSync(join(unpacked, 'usr/share/doc/tollgate/THIRD-PARTY-NOTICES.txt.gz')),
    )
    expect(notices.toString()).toEndWith('Text of linux-x64\n\na licence\n')
    // DEP-5 has no empty line in a paragraph.
    expect(lines.slice(lines.indexOf('License: MIT'), -1)).not.toContain('')
  })

  test.if(Bun.which('man') !== null)('find a manual page', () => {
    const page = join(unpacked, 'usr/share/man/man1/tollgate.1.gz')
    const { out, errors } = run('man', '--warnings', '-l', page)
    expect(errors).toBe('')
    expect(out).toContain('tollgate account create alice')
  })

  test('cannot tell a second build from the first', async () => {
    const again = await packages(folder.at('again'))
    const sum = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
    expect(again.map(sum)).toEqual([amd64, arm64].map(sum))
    const newer = await packages(folder.at('newer'), '1.2.4')
    expect(newer.map(sum)).not.toContain(sum(amd64))
  })
})
