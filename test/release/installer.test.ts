// install.sh of a release, run by several shells against a local server: its installations, and its refusals, which leave nothing behind.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { writeInstaller } from '../../src/build/release/installer.ts'
import { ownPlatform } from '../../src/build/release/platforms.ts'
import { type ServedFile, serveFiles } from '../support/files-server.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'
import { BUSYBOX, findTool } from '../support/tools.ts'
import { BASICS, type Machine, ownPrograms, runOn } from './machine.ts'

const VERSION = '1.2.3'
const PLATFORM = 'linux-x64'
const ARCHIVE = `tollgate-${VERSION}-${PLATFORM}.tar.gz`
const INSTALLED = ['.local', '.local/bin', '.local/bin/tollgate']
const OTHER_USER = 65_534
const busybox = findTool(BUSYBOX)

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

let shared: TemporaryFolder
let script: string
/** The files of a release; the executable is a script that prints its version. */
let files: Record<string, ServedFile>
let archive: Buffer

async function scriptOf(version: string, environment: Record<string, string> = {}): Promise<string> {
  const [path = ''] = await writeInstaller({ version, folder: shared.path }, environment)
  return readFileSync(path, 'utf8')
}

function archiveOf(version: string, platform: string, program: string): Buffer {
  const path = shared.at('archive')
  const folder = `tollgate-${version}-${platform}`
  mkdirSync(shared.at(folder), { recursive: true })
  copyFileSync(program, shared.at(folder, 'tollgate'))
  Bun.spawnSync(['tar', '-C', shared.path, '-I', 'gzip -1', '-cf', path, folder])
  return readFileSync(path)
}

function programSaying(version: string, status = 0): string {
  const path = shared.at(`program-${version}-${status}`)
  writeFileSync(path, `#!/bin/sh\necho ${version}\nexit ${status}\n`)
  chmodSync(path, 0o755)
  return path
}

const listed = (bytes: Uint8Array, name = ARCHIVE): string => `${sha256(bytes)}  ${name}\n`

beforeAll(async () => {
  shared = temporary()
  script = await scriptOf(VERSION)
  archive = archiveOf(VERSION, PLATFORM, programSaying(VERSION))
  files = {
    [`/${ARCHIVE}`]: archive,
    '/checksums.txt': `${sha256('x')}  install.sh\n${listed(archive)}${sha256('y')}  tollgate-1.2.3-linux-arm64.tar.gz\n`,
  }
})
afterAll(() => shared[Symbol.dispose]())

interface Case extends Machine {
  served?: Readonly<Record<string, ServedFile>>
  script?: string
}

async function install({ served = files, script: own = script, ...machine }: Case = {}) {
  using server = await serveFiles(served)
  const programs = ownPrograms(...BASICS, 'curl', 'sha256sum')
  const env: Machine['env'] = (home, bin) => ({ TOLLGATE_BASE_URL: server.url, ...machine.env?.(home, bin) })
  const ran = await runOn({ programs, ...machine, env }, own)
  return { ...ran, url: server.url, seen: server.seen, [Symbol.dispose]: () => ran[Symbol.dispose]() }
}

describe('installs', () => {
  test.each<[string, Case]>([
    ['sh, with curl and sha256sum', {}],
    ['bash, with wget', { shell: ['/bin/bash'], programs: ownPrograms(...BASICS, 'wget', 'sha256sum') }],
    [
      'bash as sh, with shasum',
      { shell: ['/bin/bash', '--posix'], programs: ownPrograms(...BASICS, 'curl', 'shasum') },
    ],
  ])('%s', async (_, machine) => {
    using run = await install(machine)
    const { home, url } = run
    expect([run.errors, run.status, run.left]).toEqual(['', 0, INSTALLED])
    expect(statSync(join(home, '.local/bin/tollgate')).mode & 0o777).toBe(0o755)
    expect(run.out).toBe(
      [
        `Downloading ${url}/${ARCHIVE}`,
        `Tollgate 1.2.3 is installed: ${home}/.local/bin/tollgate`,
        `${home}/.local/bin is not in PATH. To call it as "tollgate", add this line to your shell's profile:`,
        `  export PATH="${home}/.local/bin:$PATH"`,
        'Start the gateway: it keeps its data in ./data, and prints a link to its console.',
        `  ${home}/.local/bin/tollgate serve`,
        '',
      ].join('\n'),
    )
  })

  test.if(busybox !== undefined)("BusyBox' shell with its own programs alone, on musl", async () => {
    const name = `tollgate-${VERSION}-linux-arm64-musl.tar.gz`
    const bytes = archiveOf(VERSION, 'linux-arm64-musl', programSaying(VERSION))
    const names = [...BASICS, 'wget', 'sha256sum']
    using run = await install({
      shell: [busybox ?? '', 'sh'],
      programs: Object.fromEntries(names.map((each) => [each, busybox ?? ''])),
      scripts: { ldd: 'echo "musl libc (aarch64)" >&2\nexit 1' },
      env: () => ({ MACHINE: 'aarch64' }),
      // The last line may lack its line feed.
      served: { [`/${name}`]: bytes, '/checksums.txt': listed(bytes, name).trimEnd() },
    })
    expect([run.errors, run.status, run.left]).toEqual(['', 0, INSTALLED])
  })

  test('on a Mac whose shell runs under Rosetta', async () => {
    const name = `tollgate-${VERSION}-darwin-arm64.tar.gz`
    const bytes = archiveOf(VERSION, 'darwin-arm64', programSaying(VERSION))
    using run = await install({
      scripts: { sysctl: '[ "$*" = "-n hw.optional.arm64" ] && echo 1' },
      env: () => ({ SYSTEM: 'Darwin' }),
      served: { [`/${name}`]: bytes, '/checksums.txt': listed(bytes, name) },
    })
    expect([run.errors, run.status, run.left]).toEqual(['', 0, INSTALLED])
  })

  test('the bytes of the release for this machine, whatever they are', async () => {
    const program = programSaying(VERSION)
    appendFileSync(program, randomBytes(1_000_000))
    const { name, npm } = ownPlatform()
    const file = `tollgate-${VERSION}-${name}.tar.gz`
    const bytes = archiveOf(VERSION, name, program)
    using run = await install({
      programs: ownPrograms(...BASICS, 'curl', 'sha256sum', ...(npm.libc === 'musl' ? ['ldd'] : [])),
      env: () => ({
        SYSTEM: npm.os === 'linux' ? 'Linux' : 'Darwin',
        MACHINE: npm.cpu === 'x64' ? 'x86_64' : 'arm64',
      }),
      served: { [`/${file}`]: bytes, '/checksums.txt': listed(bytes, file) },
    })
    expect([run.errors, run.status]).toEqual(['', 0])
    const installed = readFileSync(join(run.home, '.local/bin/tollgate'))
    expect(installed.equals(readFileSync(program))).toBe(true)
  })

  test('in place of an older one, in a folder of PATH, behind another one of that name', async () => {
    const older = { mode: 0o755 }
    using run = await install({
      env: (home, bin) => ({ TOLLGATE_INSTALL_DIR: 'own/', PATH: `${bin}:${home}/other:${home}/own` }),
      prepare: (home) => {
        for (const name of ['other', 'own']) {
          mkdirSync(join(home, name))
          writeFileSync(join(home, name, 'tollgate'), 'older', older)
        }
      },
    })
    const { home } = run
    expect([run.errors, run.status, run.left]).toEqual([
      '',
      0,
      ['other', 'other/tollgate', 'own', 'own/tollgate'],
    ])
    expect(readFileSync(join(home, 'own/tollgate'), 'utf8')).toContain('echo 1.2.3')
    expect(run.out).toContain(`Another one comes before it in PATH: ${home}/other/tollgate\n`)
    expect(run.out).toEndWith(`  ${home}/own/tollgate serve\n`)
  })

  test('into a folder with spaces, which the line to start it quotes', async () => {
    using run = await install({ env: (home) => ({ TOLLGATE_INSTALL_DIR: `${home}/my own` }) })
    expect([run.errors, run.status, run.left]).toEqual(['', 0, ['my own', 'my own/tollgate']])
    expect(run.out).toEndWith(`  "${run.home}/my own/tollgate" serve\n`)
  })

  test('with `tollgate serve` in the output if it is the first in PATH', async () => {
    using run = await install({ env: (home, bin) => ({ PATH: `${bin}:${home}/.local/bin` }) })
    expect(run.out).toEndWith('  tollgate serve\n')
    expect(run.out).not.toContain('PATH')
  })
})

describe('refuses, and leaves nothing behind', () => {
  const without = (name: string) => {
    const { [name]: _, ...others } = ownPrograms(...BASICS, 'curl', 'sha256sum')
    return others
  }
  const damaged = () => {
    const bytes = Buffer.from(archive)
    bytes[bytes.length - 20] = 255 - (bytes[bytes.length - 20] ?? 0)
    return bytes
  }

  test.each<[why: string, machine: () => Case, words: string]>([
    [
      'a wrong checksum',
      () => ({ served: { ...files, [`/${ARCHIVE}`]: damaged() } }),
      'is wrong: the file is damaged, or not',
    ],
    [
      'no line for the archive',
      () => ({ served: { ...files, '/checksums.txt': listed(archive, 'another') } }),
      `has no ${ARCHIVE}, so`,
    ],
    [
      'a line for a longer name',
      () => ({ served: { ...files, '/checksums.txt': listed(archive, `${ARCHIVE}.old`) } }),
      `has no ${ARCHIVE}, so`,
    ],
    [
      'two lines for the archive',
      () => ({ served: { ...files, '/checksums.txt': listed(archive).repeat(2) } }),
      `has ${ARCHIVE} twice`,
    ],
    [
      'half a checksum',
      () => ({ served: { ...files, '/checksums.txt': listed(archive).slice(32) } }),
      'has no SHA-256 for',
    ],
    [
      'a checksum that is not hexadecimal',
      () => ({ served: { ...files, '/checksums.txt': `z${listed(archive).slice(1)}` } }),
      'has no SHA-256 for',
    ],
    [
      'no checksums.txt',
      () => ({ served: { [`/${ARCHIVE}`]: archive } }),
      '/checksums.txt could not be downloaded.',
    ],
    [
      'no archive',
      () => ({ served: { '/checksums.txt': listed(archive) } }),
      `/${ARCHIVE} could not be downloaded.`,
    ],
    [
      'an interrupted download',
      () => ({ served: { ...files, [`/${ARCHIVE}`]: { first: archive.subarray(0, 100) } } }),
      `/${ARCHIVE} could not be downloaded.`,
    ],
    [
      'a part of the archive',
      () => ({ served: { ...files, [`/${ARCHIVE}`]: archive.subarray(0, 100) } }),
      'is wrong: the file is damaged, or not',
    ],
    [
      'a redirect to another protocol',
      () => ({ served: { ...files, [`/${ARCHIVE}`]: { location: 'file:///etc/hostname' } } }),
      `/${ARCHIVE} could not be downloaded.`,
    ],
    [
      'an archive without the executable',
      () => {
        const bytes = archiveOf('1.2.4', PLATFORM, programSaying('1.2.4'))
        return { served: { [`/${ARCHIVE}`]: bytes, '/checksums.txt': listed(bytes) } }
      },
      'could not be unpacked',
    ],
    [
      'a program that does not start on this machine',
      () => {
        const bytes = archiveOf(VERSION, PLATFORM, '/etc/hostname')
        return { served: { [`/${ARCHIVE}`]: bytes, '/checksums.txt': listed(bytes) } }
      },
      'does not run on this machine',
    ],
    [
      'a program of another version',
      () => {
        const bytes = archiveOf(VERSION, PLATFORM, programSaying('1.2.2'))
        return { served: { [`/${ARCHIVE}`]: bytes, '/checksums.txt': listed(bytes) } }
      },
      'does not run on this machine',
    ],
    [
      'an unknown system',
      () => ({ env: () => ({ SYSTEM: 'FreeBSD' }) }),
      'no Tollgate for this system (FreeBSD)',
    ],
    [
      'an unknown processor',
      () => ({ env: () => ({ MACHINE: 'riscv64' }) }),
      'no Tollgate for this processor (riscv64)',
    ],
    [
      'a platform that was not released',
      () => ({ env: () => ({ SYSTEM: 'Darwin' }) }),
      'This release has files for: linux-x64 linux-arm64.',
    ],
    ['neither curl nor wget', () => ({ programs: without('curl') }), 'Neither curl nor wget was found.'],
    [
      'no program for checksums',
      () => ({ programs: without('sha256sum') }),
      'Neither sha256sum nor shasum was found, so',
    ],
    ['no tar', () => ({ programs: without('tar') }), 'tar was not found.'],
    [
      'no address',
      () => ({ env: () => ({ TOLLGATE_BASE_URL: '' }) }),
      'No address to download from. Set TOLLGATE_BASE_URL',
    ],
    [
      'plain HTTP',
      () => ({ env: () => ({ TOLLGATE_BASE_URL: 'http://example.com' }) }),
      'must begin with https://, and is http://example.com.',
    ],
    [
      'plain HTTP to a host that only begins with localhost',
      () => ({ env: () => ({ TOLLGATE_BASE_URL: 'http://localhost.example.com' }) }),
      'must begin with https://',
    ],
    ['no HOME', () => ({ env: () => ({ HOME: undefined }) }), 'HOME is not set. Set TOLLGATE_INSTALL_DIR'],
    [
      'a folder below a file',
      () => ({ env: () => ({ TOLLGATE_INSTALL_DIR: '/etc/hostname/bin' }) }),
      '/etc/hostname cannot be written to.',
    ],
    ['a folder in /proc', () => ({ env: () => ({ TOLLGATE_INSTALL_DIR: '/proc/tollgate' }) }), '/proc'],
    [
      'the source of the checkout',
      () => ({ script: readFileSync(join(import.meta.dir, '../../src/build/release/install.sh'), 'utf8') }),
      'Run the install.sh of a release.',
    ],
  ])('%s', async (_, machine, words) => {
    using run = await install(machine())
    expect(run.errors).toContain(words)
    expect([run.errors.includes('error: '), run.status, run.left]).toEqual([true, 1, []])
  })

  test('a program for musl that does not start, with what it may need', async () => {
    const name = `tollgate-${VERSION}-linux-x64-musl.tar.gz`
    const bytes = archiveOf(VERSION, 'linux-x64-musl', '/etc/hostname')
    using run = await install({
      scripts: { ldd: 'echo "musl libc (x86_64)" >&2\nexit 1' },
      served: { [`/${name}`]: bytes, '/checksums.txt': listed(bytes, name) },
    })
    expect(run.errors).toContain(
      'does not run on this machine. It needs Alpine 3.20 or newer, and the C++ library (apk add libstdc++). Nothing was',
    )
    expect([run.status, run.left]).toEqual([1, []])
  })

  test('a folder of another user', async () => {
    const shell =
      process.getuid?.() === 0
        ? [Bun.which('setpriv') ?? '', `--reuid=${OTHER_USER}`, '--clear-groups', '/bin/sh']
        : undefined
    using run = await install({
      ...(shell ? { shell } : {}),
      prepare: (home) => mkdirSync(join(home, '.local'), { mode: 0o555 }),
    })
    expect(run.errors).toBe(
      `error: ${run.home}/.local cannot be written to. Set TOLLGATE_INSTALL_DIR to a folder of yours, or run this as a user who may write there.\n`,
    )
    expect([run.status, run.left, run.seen]).toEqual([1, ['.local'], []])
  })

  test('a folder in place of the executable; an older executable survives a refusal', async () => {
    const bin = (home: string) => join(home, '.local/bin')
    using in_place = await install({
      prepare: (home) => mkdirSync(join(bin(home), 'tollgate'), { recursive: true }),
    })
    expect([in_place.errors, in_place.left]).toEqual([
      expect.stringContaining('tollgate is a folder.'),
      INSTALLED,
    ])
    using refused = await install({
      served: { ...files, '/checksums.txt': listed(Buffer.from('another')) },
      prepare: (home) => {
        mkdirSync(bin(home), { recursive: true })
        writeFileSync(join(bin(home), 'tollgate'), 'older')
      },
    })
    expect([refused.status, refused.left]).toEqual([1, INSTALLED])
    expect(readFileSync(join(bin(refused.home), 'tollgate'), 'utf8')).toBe('older')
  })

  test("a wget that checks no certificates, as BusyBox' own TLS", async () => {
    using run = await install({
      programs: ownPrograms(...BASICS, 'sha256sum'),
      scripts: {
        wget: 'echo "wget: note: TLS certificate validation not implemented" >&2\nwhile [ "$1" != -O ]; do shift; done\n: >"$2"',
      },
    })
    expect(run.errors).toContain('This wget does not check certificates')
    expect([run.status, run.left]).toEqual([1, []])
  })

  test('an incomplete script: none of its beginnings does anything', async () => {
    const text = script.trimEnd()
    const ends = [
      text.lastIndexOf('\n'),
      text.lastIndexOf('main') + 3,
      text.length - 1,
      ...Array.from({ length: 8 }, (_, at) => Math.floor((text.length * (at + 1)) / 9)),
    ]
    for (const end of ends) {
      using run = await install({ script: text.slice(0, end) })
      expect([run.out, run.left, run.seen]).toEqual(['', [], []])
    }
  })
})

describe('the address', () => {
  test('of the release is used if the environment names none', async () => {
    const own = await scriptOf(VERSION, { TOLLGATE_BASE_URL: 'https://127.0.0.1:1/tollgate/1.2.3/' })
    using run = await install({ script: own, env: () => ({ TOLLGATE_BASE_URL: undefined }) })
    expect(run.errors).toContain(
      'error: https://127.0.0.1:1/tollgate/1.2.3/checksums.txt could not be downloaded.',
    )
    expect([run.status, run.left]).toEqual([1, []])
    using other = await install({ script: own })
    expect([other.errors, other.status, other.left]).toEqual(['', 0, INSTALLED])
  })

  test.each([
    'http://example.com',
    'example.com',
    'https://example.com/$(id)',
    'https://example.com/"x',
    'https://example.com/}',
    'https://',
  ])('of a release is refused: %s', async (url) => {
    const writing = writeInstaller(
      { version: VERSION, folder: shared.at('refused') },
      { TOLLGATE_BASE_URL: url },
    )
    await expect(writing).rejects.toThrow('TOLLGATE_BASE_URL: must be the https:// address')
  })
})
