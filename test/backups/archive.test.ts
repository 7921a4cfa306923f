// Archives: their contents, and refusals before anything is changed.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { pack } from 'tar-stream'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { takeLock } from '../../src/store/lock.ts'
import { createScene, type Scene } from '../app/commands/scene.ts'
import { temporary } from '../support/temporary.ts'
import { addUpload, answerHere, endedHere, entriesIn, hashOf, refusalHere, uploadKey } from './support.ts'

const UPLOAD = uploadKey('cat')

let scene: Scene
let archive: string
beforeAll(async () => {
  scene = createScene()
  await scene.run('account', 'create', 'anna')
  await scene.run('credit', 'anna', '5')
  {
    await using db = openDb(scene.path('tollgate.db'))
    await addUpload(db, UPLOAD, 'cat')
  }
  put(scene.dir, UPLOAD, 'cat')
  // Without a row, and so left out.
  put(scene.dir, 'images/1/0d4cf1bc.png', 'stray')
  put(scene.dir, 'plugins/mine.ts', 'export default 1')
  put(scene.dir, 'plugins/node_modules/zod/index.js', 'large')
  put(scene.dir, 'plugins/package.json', '{}')
  put(scene.dir, 'plugins/odd\\name.ts', 'export default 1')
  put(scene.dir, 'settlements.journal', '')
  symlinkSync('/etc/passwd', scene.path('plugins/link.ts'))
  archive = scene.path('everything.tar.zst')
  await scene.json('backup', archive)
})
afterAll(() => scene.remove())

function put(dir: string, path: string, text: string): void {
  mkdirSync(join(dir, path, '..'), { recursive: true })
  writeFileSync(join(dir, path), text)
}

interface Entry {
  name: string
  text: Buffer
  type?: 'file' | 'symlink' | 'directory'
}

async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack()
  for (const { name, text, type = 'file' } of entries)
    tar.entry(
      { name, type, ...(type === 'symlink' ? { linkname: '/etc/passwd' } : {}) },
      type === 'file' ? text : Buffer.alloc(0),
    )
  tar.finalize()
  return zstdCompressSync(Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>)))
}

test('an archive has the catalogue, the files that the database names, plugins without packages, and a manifest', async () => {
  const entries = await entriesIn(readFileSync(archive))
  expect(entries.map(({ name }) => name)).toEqual([
    'backup.json',
    'tollgate.toml',
    'settlements.journal',
    'plugins/mine.ts',
    'plugins/package.json',
    UPLOAD,
    'tollgate.db',
    'manifest.json',
  ])
  const manifest = JSON.parse(String(entries.at(-1)?.text))
  expect(manifest).toMatchObject({ tollgate_backup: 1, deleted_meanwhile: [], missing: [] })
  for (const { path, bytes, sha256 } of manifest.entries) {
    const text = entries.find(({ name }) => name === path)?.text ?? Buffer.alloc(0)
    expect([path, text.length, hashOf(text)]).toEqual([path, bytes, sha256])
  }
})

test('a backup warns of files that it leaves out: links, and paths that a restore would refuse', async () => {
  const { err } = await scene.run('backup', scene.path('told.tar.zst'))
  expect(err).toContain('plugins/link.ts, plugins/odd\\name.ts')
  await scene.json('backup', 'verify', scene.path('told.tar.zst'))
})

test('only its owner can read an archive, and no unfinished file stays', () => {
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  expect(readdirSync(scene.dir).filter((name) => /unfinished|^\.backup/.test(name))).toEqual([])
})

test('a restore writes the whole archive, readable by its owner alone, into an empty folder', async () => {
  using fresh = temporary()
  const data = ['--data', fresh.path]
  expect(await answerHere(['restore', archive, ...data])).toMatchObject({
    clean: true,
    files: 6,
    kept_catalogue: null,
  })
  for (const path of ['tollgate.toml', UPLOAD, 'plugins/mine.ts', 'tollgate.db']) {
    if (path !== 'tollgate.db') expect(readFileSync(fresh.at(path))).toEqual(readFileSync(scene.path(path)))
    expect([path, statSync(fresh.at(path)).mode & 0o777]).toEqual([path, 0o600])
  }
  expect(readdirSync(fresh.path).filter((name) => name.startsWith('.'))).toEqual([])
  expect((await answerHere(['account', 'show', 'anna', ...data])).balance_usd).toBe('5.00')
  const restored = openDatabase(fresh.at('tollgate.db'))
  expect(
    restored.query("SELECT action, command, subject FROM actions WHERE command = 'restore'").all(),
  ).toEqual([{ action: 'backup.restored', command: 'restore', subject: archive }])
  restored.close()
})

test('a restore into a new folder leaves the folder in use unchanged', async () => {
  using folder = temporary()
  const [old, fresh] = [folder.at('data'), folder.at('new')]
  await answerHere(['restore', archive, '--data', old])
  const { name } = await answerHere(['backup', '--data', old])
  await answerHere(['credit', 'anna', '2', '--data', old])
  const balanceIn = async (dir: string) =>
    (await answerHere(['account', 'show', 'anna', '--data', dir])).balance_usd
  expect(await refusalHere(['restore', name, '--data', old])).toMatch(
    /\/data is not empty: it has tollgate\.db, .*files, plugins\. Restore into a new folder with --to, then start with it\.$/m,
  )
  expect(await balanceIn(old)).toBe('7.00')
  // By the name of the backup in the place of the folder in use.
  const { status, out } = await endedHere(['restore', name, '--data', old, '--to', fresh])
  expect([status, out]).toEqual([0, expect.stringContaining(`Start with it: tollgate serve --data ${fresh}`)])
  expect([await balanceIn(old), await balanceIn(fresh)]).toEqual(['7.00', '5.00'])
})

test.each([
  ['a database', 'tollgate.db'],
  ['the log of a database', 'tollgate.db-wal'],
  ['an image', 'images/1/a.png'],
  ['a kept answer', 'answers/aa/x'],
  ['settlements', 'settlements.journal'],
])('a folder with %s is not empty', async (_, path) => {
  using fresh = temporary()
  put(fresh.path, path, 'x')
  expect(await createScene('nothing', fresh.path).refusal('restore', archive)).toContain(
    `is not empty: it has ${path.split('/')[0]}.`,
  )
  expect(readFileSync(fresh.at(path), 'utf8')).toBe('x')
})

test('a folder with a link in place of a folder is not empty', async () => {
  using fresh = temporary()
  mkdirSync(fresh.at('elsewhere'))
  symlinkSync(fresh.at('elsewhere'), fresh.at('images'))
  const { err } = await createScene('nothing', fresh.path).run('restore', archive)
  expect(err).toContain('is not empty: it has images.')
})

test('a restore accepts empty folders, other files and a catalogue, which is kept', async () => {
  using fresh = temporary()
  mkdirSync(fresh.at('images'))
  put(fresh.path, 'backups/notes.txt', 'mine')
  put(fresh.path, 'tollgate.toml', '# mine')
  const { kept_catalogue } = await createScene('nothing', fresh.path).json('restore', archive)
  expect(readFileSync(kept_catalogue, 'utf8')).toBe('# mine')
  expect(readFileSync(fresh.at('tollgate.toml'))).toEqual(readFileSync(scene.path('tollgate.toml')))
  expect(readFileSync(fresh.at('backups/notes.txt'), 'utf8')).toBe('mine')
})

test('a restore says how to install the packages of plugins', async () => {
  using fresh = temporary()
  const { out } = await createScene('nothing', fresh.path).run('restore', archive)
  expect(out).toContain(`Install the packages of the plugins: run \`bun install\` in ${fresh.at('plugins')}.`)
})

test('the drill reports its checks in 80 columns', async () => {
  const { status, out } = await scene.run('backup', 'verify', archive)
  expect([status, out]).toEqual([0, expect.stringContaining('It can be restored.')])
  expect(out).toContain('all hashes match')
  expect(
    out
      .split('\n')
      .slice(1)
      .filter((line) => line.length > 80),
  ).toEqual([])
})

test('the drill refuses a copy of the database alone', async () => {
  const copy = scene.path('alone.db')
  await scene.json('backup', '--database-only', copy)
  expect(await scene.refusal('backup', 'verify', copy)).toContain(
    'is a copy of only the database, not an archive',
  )
})

test('a backup without a file goes to the place of [backup], and is listed', async () => {
  const { name, file } = await scene.json('backup')
  expect(file).toBe(scene.path(`backups/${name}`))
  put(scene.dir, 'backups/notes.txt', 'mine')
  expect(await scene.json('backup', 'list')).toMatchObject({
    place: scene.path('backups'),
    backups: [{ name, encrypted: false, scheduled: false }],
  })
  expect(await scene.json('backup', 'verify', name)).toMatchObject({ name, clean: true })
})

test('several backups in one second have names of their own', async () => {
  const names = [await scene.json('backup'), await scene.json('backup')].map(({ name }) => name)
  const { backups } = await scene.json('backup', 'list')
  expect(backups.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names))
  expect(new Set(names).size).toBe(2)
})

describe('encryption', () => {
  const writeInput = (name: string, text: string) => {
    writeFileSync(scene.path(name), text)
    return scene.path(name)
  }

  const PASSPHRASE = 'open sesame'
  /** The archive encrypted as with `--passphrase-file`, but with little of scrypt's work, which otherwise takes more than a second each time. */
  const easilyOpened = async () => {
    const encrypter = new Encrypter()
    encrypter.setPassphrase(PASSPHRASE)
    encrypter.setScryptWorkFactor(2)
    const path = scene.path('easily-opened.age')
    writeFileSync(path, await encrypter.encrypt(readFileSync(archive)))
    return path
  }

  test('by a passphrase opens with it', async () => {
    const right = writeInput('right', `${PASSPHRASE}\n`)
    const secret = scene.path('secret.age')
    expect(await scene.json('backup', secret, '--passphrase-file', right)).toMatchObject({ encrypted: true })
    // Each guess of the passphrase costs a second of work.
    expect(readFileSync(secret, 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt \S+ 18\n/)
    expect(await scene.json('backup', 'verify', secret, '--passphrase-file', right)).toMatchObject({
      encrypted: true,
    })
  })

  test('by a passphrase opens with it alone', async () => {
    const right = writeInput('right', `${PASSPHRASE}\n`)
    const secret = await easilyOpened()
    expect(await scene.json('backup', 'verify', secret, '--passphrase-file', right)).toMatchObject({
      encrypted: true,
    })
    for (const [flags, message] of [
      [[], 'is encrypted: give --passphrase-file'],
      [['--passphrase-file', writeInput('wrong', 'open barley\n')], 'the passphrase or key is another one'],
      [['--passphrase-file', writeInput('empty', '\n')], 'its first line must be the passphrase'],
      [['--passphrase-file', '/nowhere'], 'File not found: /nowhere'],
      [['--passphrase-file', right, '--key-file', right], 'not both'],
    ] as const) {
      expect(await scene.refusal('backup', 'verify', secret, ...flags)).toContain(message)
    }
  })

  test('by the passphrase of [backup] whose variable is not set: the message names it, and how to set it', async () => {
    const other = createScene()
    await other.run('account', 'create', 'anna')
    appendFileSync(other.path('tollgate.toml'), `\n[backup]\npassphrase = "env:MY_PASSPHRASE"\n`)
    const variables = writeInput('variables', `MY_PASSPHRASE=${PASSPHRASE}\n`)
    const secret = await easilyOpened()
    expect(await other.refusal('backup', 'verify', secret)).toMatch(/MY_PASSPHRASE is not set\. .*--env-file/)
    expect((await other.run('backup', 'verify', secret, '--env-file', variables)).status).toBe(0)
    other.remove()
  })

  test('by a key of age: made with the public one, opened with the secret one', async () => {
    const identity = await generateIdentity()
    const public_key = writeInput('public', `# public key\n${await identityToRecipient(identity)}\n`)
    const secret_key = writeInput('key', `# created: today\n${identity}\n`)
    const file = scene.path('by-key.age')
    expect(await scene.json('backup', file, '--key-file', public_key)).toMatchObject({ encrypted: true })
    expect(await scene.json('backup', 'verify', file, '--key-file', secret_key)).toMatchObject({
      clean: true,
    })
    const { err } = await scene.run('backup', 'verify', file, '--key-file', public_key)
    expect(err).toContain('has only a public key')
  })
})

describe('a restore is refused, and nothing changes:', () => {
  let entries: Entry[]
  let target: Scene
  beforeEach(async () => {
    entries = await entriesIn(readFileSync(archive))
    target = createScene('nothing')
    await target.run('account', 'create', 'ben')
  })
  afterEach(() => target.remove())
  const named = (name: string): Entry => {
    const found = entries.find((entry) => entry.name === name)
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }
  const changedJson = (name: string, change: (value: Record<string, unknown>) => void) => {
    const value = JSON.parse(String(named(name).text))
    change(value)
    named(name).text = Buffer.from(JSON.stringify(value))
  }
  const changeHead = (fields: object) => changedJson('backup.json', (head) => Object.assign(head, fields))
  const replace = (name: string, text: string) => {
    named(name).text = Buffer.from(text)
  }
  const drop = (name: string) => {
    entries = entries.filter((entry) => entry.name !== name)
  }
  const evil = (name: string, type: Entry['type'] = 'file') => {
    entries.splice(2, 0, { name, text: Buffer.from('x'), type })
  }

  const cases: readonly [string, () => void, string][] = [
    ['a changed file', () => replace(UPLOAD, 'dog'), `${UPLOAD} has changed`],
    ['a missing file', () => drop(UPLOAD), 'is missing in it'],
    ['a file that is not in the manifest', () => evil(uploadKey('dog')), 'does not name'],
    ['a file twice', () => void entries.splice(2, 0, named('tollgate.toml')), 'twice'],
    ['no manifest', () => void entries.pop(), 'its end is missing'],
    ['something after the manifest', () => void entries.push(named(UPLOAD)), 'content after its manifest'],
    ['no head', () => void entries.shift(), 'does not begin like a backup'],
    ['an absolute path', () => evil('/etc/cron.d/x'), 'is not a path in a data folder'],
    ['a path upwards', () => evil('files/../../x'), 'is not a path in a data folder'],
    ['a path of another folder', () => evil('backups/x'), 'is not a path in a data folder'],
    ['a path with an empty part', () => evil('files//x'), 'is not a path in a data folder'],
    ['a link', () => evil('files/1/link', 'symlink'), 'is not a plain file'],
    ['a folder', () => evil('files/1', 'directory'), 'is not a plain file'],
    ['a newer form', () => changeHead({ tollgate_backup: 2, version: '9.0' }), 'was made by Tollgate 9.0'],
    ['a newer database', () => changeHead({ schema_version: 999 }), 'Run that program or a newer one'],
    ['an invalid head', () => replace('backup.json', '{}'), 'lacks what every backup has'],
    ['books that do not add up', () => tamper(), 'does not pass the audit'],
    ['a row without its file, of which the manifest has nothing', () => forget(), 'does not pass the audit'],
  ]
  const bytesOfManifest = (path: string, text: Buffer) =>
    changedJson('manifest.json', (value) => {
      value.entries = (value.entries as { path: string }[]).map((entry) =>
        entry.path === path ? { path, bytes: text.length, sha256: hashOf(text) } : entry,
      )
    })
  const tamper = () => {
    const path = scene.path('tampered.db')
    writeFileSync(path, named('tollgate.db').text)
    const db = openDatabase(path)
    db.run('UPDATE accounts SET balance_nanos = balance_nanos + 1')
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    named('tollgate.db').text = readFileSync(path)
    bytesOfManifest('tollgate.db', readFileSync(path))
  }
  const forget = () => {
    drop(UPLOAD)
    changedJson('manifest.json', (value) => {
      value.entries = (value.entries as { path: string }[]).filter(({ path }) => path !== UPLOAD)
    })
  }

  test.each(cases)('%s', async (_, spoil, message) => {
    spoil()
    const spoilt = target.path('spoilt.tar.zst')
    writeFileSync(spoilt, await archiveOf(entries))
    const before = readdirSync(target.dir)
    for (const command of [
      ['restore', spoilt, '--to', target.path('new')],
      ['backup', 'verify', spoilt],
    ]) {
      expect(await target.refusal(...command)).toContain(message)
    }
    expect(await target.json('account', 'show', 'ben')).toMatchObject({ name: 'ben' })
    expect(readdirSync(target.dir).filter((name) => !before.includes(name))).toEqual([])
  })

  test.each([
    ['is cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
    ['is cut early', (bytes: Buffer) => bytes.subarray(0, 40)],
    [
      'is damaged in the middle',
      (bytes: Buffer) => Buffer.from(bytes).fill(7, bytes.length >> 1, (bytes.length >> 1) + 50),
    ],
  ])('an archive that %s', async (_, spoil) => {
    const spoilt = target.path('spoilt.tar.zst')
    writeFileSync(spoilt, spoil(readFileSync(archive)))
    expect(await target.refusal('restore', spoilt, '--to', target.path('new'))).toContain(
      'use another backup',
    )
    expect(await target.json('account', 'show', 'ben')).toMatchObject({ name: 'ben' })
  })

  test('a folder that a gateway serves', async () => {
    const unlock = takeLock(target.path('serve.lock'))
    expect((await target.run('restore', archive)).err).toContain('A gateway is serving')
    unlock?.()
  })

  test('a second backup at once', async () => {
    const unlock = takeLock(scene.path('backup.lock'))
    expect((await scene.run('backup', scene.path('second.tar.zst'))).err).toContain(
      'Another backup of this database',
    )
    unlock?.()
  })
})

test.each([
  ['has another size', 'longer'],
  ['has another byte', 'cap'],
])('an image that %s during the backup is reported, and does not prevent a restore', async (_, content) => {
  const one = createScene('nothing')
  await one.run('restore', archive)
  writeFileSync(one.path(UPLOAD), content)
  const made = await one.json('backup', one.path('cut.tar.zst'))
  expect(made.missing).toEqual([UPLOAD])
  using fresh = createScene('nothing')
  const { status, err } = await fresh.run('restore', one.path('cut.tar.zst'))
  expect([status, err]).toEqual([
    0,
    expect.stringContaining('Files missing or damaged when the backup was created: 1'),
  ])
  one.remove()
})
