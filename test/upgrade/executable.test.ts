// The executable that replaces itself: its output, a downgrade over a newer database, another user's file, and kill -9 at any moment.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { MIGRATIONS } from '../../src/store/engines/sqlite/migrate.ts'
import { gatewayFile } from '../release/gateway-file.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { IS_LONG } from '../support/long.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'
import { archiveName, archiveOf, CHANGELOG, newKey, releaseOf } from './release.ts'

const OTHER_USER = '65534'
const NEWER = '99.0.0'
const KILLS = IS_LONG ? 100 : 6

let folder: TemporaryFolder
/** The executable of this checkout, which is never replaced itself. */
let program: string
let own_version: string

beforeAll(async () => {
  folder = temporary()
  // The executable and its folder are read by another user, too.
  chmodSync(folder.path, 0o755)
  program = folder.at('program')
  copyFileSync(await gatewayFile(folder.at('built')), program)
  own_version = run([program, '--version']).out.trim()
  mkdirSync(folder.at('data'))
  writeFileSync(folder.at('data/tollgate.toml'), FIRST_CATALOGUE)
  makeEmptyDatabase(folder.at('data/tollgate.db'))
  await putRelease(NEWER, `#!/bin/sh\n[ "$1" = --version ] && echo ${NEWER} || exec ${program} "$@"\n`)
})
afterAll(() => folder[Symbol.dispose]())

async function putRelease(version: string, script: string): Promise<void> {
  const archive = await archiveOf(version, { tollgate: script, 'CHANGELOG.md': CHANGELOG })
  mkdirSync(folder.at(version))
  for (const [name, content] of Object.entries(releaseOf(archiveName(version), archive)))
    writeFileSync(folder.at(version, name), content)
}

function run(command: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...command], {
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  return { out: stdout.toString(), err: stderr.toString(), status: exitCode }
}

/** Installs the executable in a folder of its own: by a link, which costs nothing, since an upgrade replaces a file and never writes to it. */
function installIn(name: string): string {
  mkdirSync(folder.at(name))
  linkSync(program, folder.at(name, 'tollgate'))
  return folder.at(name, 'tollgate')
}

const upgradeOf = (path: string, version: string, data = folder.at('data')): string[] => [
  path,
  'upgrade',
  '--from',
  folder.at(version, archiveName(version)),
  '--data',
  data,
]

test('an upgrade replaces the executable, keeps the previous one, and prints what to do', () => {
  const path = installIn('says')
  const { out, err, status } = run(upgradeOf(path, NEWER))
  expect([status, err]).toEqual([
    0,
    'Only the checksum was verified, because no public key is known. Name the key with --public-key.\n',
  ])
  const lines = out.split('\n')
  const restart = lines.indexOf('  sudo systemctl restart tollgate')
  if (restart >= 0) lines.splice(restart, 1)
  expect(lines).toEqual([
    `Tollgate 99.0.0 has replaced ${own_version}: ${path}`,
    `Checksum verified. The previous executable is ${path}.before.`,
    '',
    'Before you start 99.0.0:',
    '- Before you upgrade: rename a setting.',
    '',
    'New in 99.0.0, for callers:',
    '- A new field.',
    '',
    'New in 99.0.0, for operators:',
    '- More alerts.',
    '',
    'Restart the gateway to use it. Until then, commands are refused if they would',
    'change its tables.',
    'To go back, stop the gateway, run this line, and start it. If the log said',
    '"migrated the database", restore the copy that it names first.',
    `  mv ${path}.before ${path}`,
    '',
  ])
  expect(readdirSync(folder.at('says')).sort()).toEqual(['tollgate', 'tollgate.before'])
  expect(run([path, '--version']).out.trim()).toBe(NEWER)
  expect(run([`${path}.before`, '--version']).out.trim()).toBe(own_version)
})

test('an upgrade without a signature is refused if --public-key names a key', () => {
  const path = installIn('keyed')
  const refusal = (key: string) => {
    const { err, status } = run([...upgradeOf(path, NEWER), '--public-key', key])
    expect(status).toBe(1)
    return err
  }
  expect(refusal(newKey().public_key)).toContain('checksums.txt.minisig: file not found')
  expect(refusal('RWQ')).toContain('--public-key: RWQ is neither a file nor a public key of minisign.')
  expect(refusal(program)).toContain('is not the file of a public key of minisign.')
  expect(readdirSync(folder.at('keyed'))).toEqual(['tollgate'])
})

describe('an older version', () => {
  const OLDER = '0.0.1'
  beforeAll(() =>
    putRelease(OLDER, `#!/bin/sh\n[ "$1" = --version ] && echo ${OLDER} || exec ${program} "$@"\n`),
  )

  test('replaces the executable if it can read the database', () => {
    const path = installIn('older')
    expect(run([...upgradeOf(path, OLDER), '--json']).status).toBe(0)
    expect(run([path, '--version']).out.trim()).toBe(OLDER)
  })

  test('is refused if the database is of a newer program', () => {
    const path = installIn('too-old')
    mkdirSync(folder.at('newer'))
    for (const name of ['tollgate.toml', 'tollgate.db'])
      copyFileSync(folder.at('data', name), folder.at('newer', name))
    const db = new Database(folder.at('newer/tollgate.db'))
    db.run(`PRAGMA user_version = ${MIGRATIONS.length + 3}`)
    db.close()
    const { err, out, status } = run([...upgradeOf(path, OLDER, folder.at('newer')), '--json'])
    expect([status, out]).toEqual([1, ''])
    const known = MIGRATIONS.length
    expect(err).toContain(
      `Tollgate ${OLDER} cannot read the database of ${folder.at('newer')}: version ${known + 3}, from a newer program; this one knows ${known}. Nothing was changed.`,
    )
    expect(statSync(path).ino).toBe(statSync(program).ino)
    expect(readdirSync(folder.at('too-old'))).toEqual(['tollgate'])
  })
})

test.if(process.getuid?.() === 0)("an upgrade is refused if the file is another user's", () => {
  const path = installIn('foreign')
  const { err, status } = run([
    'setpriv',
    `--reuid=${OTHER_USER}`,
    '--clear-groups',
    ...upgradeOf(path, NEWER),
  ])
  expect([status, err]).toEqual([1, expect.stringContaining(`error: This user cannot replace ${path}`)])
})

test(`kill -9 leaves the old or the new executable, complete: ${KILLS} moments`, async () => {
  const path = installIn('killed')
  const command = upgradeOf(path, NEWER, folder.at('killed'))
  const began = performance.now()
  run(command)
  const whole_ms = performance.now() - began
  const newer_bytes = statSync(path).size
  const found: number[] = []
  for (let at = 0; at < KILLS; at += 1) {
    rmSync(path)
    linkSync(program, path)
    const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' })
    const timer = setTimeout(() => child.kill('SIGKILL'), (whole_ms * (at + 1)) / KILLS)
    await child.exited
    clearTimeout(timer)
    found.push(statSync(path).size)
    expect(statSync(`${path}.before`).ino).toBe(statSync(program).ino)
  }
  const own_bytes = statSync(program).size
  expect(found.filter((bytes) => bytes !== own_bytes && bytes !== newer_bytes)).toEqual([])
  // Files of killed upgrades do not stop the next one.
  expect(run(command).status).toBe(0)
  expect(
    readdirSync(folder.at('killed'))
      .filter((name) => !name.startsWith('.tollgate-upgrade-'))
      .sort(),
  ).toEqual(['tollgate', 'tollgate.before'])
})
