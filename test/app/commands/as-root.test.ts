// Commands run by root on another user's data folder, as from an operator's shell beside the documented unit: that user can still write every file.
import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf } from '../../support/programs.ts'
import { temporary } from '../../support/temporary.ts'
import { createScene } from './scene.ts'

/** The id of no user of this machine. */
const OWNER = 54_321

const scratch = temporary()
afterAll(() => scratch[Symbol.dispose]())

const pathsIn = (path: string): string[] => [
  path,
  ...(lstatSync(path).isDirectory() ? readdirSync(path) : []).flatMap((name) => pathsIn(join(path, name))),
]

function giveToOwner(folder: string): void {
  for (const path of pathsIn(folder)) lchownSync(path, OWNER, OWNER)
}

/** Unreadable for others, and below a folder that only root may enter, as systemd's DynamicUser= has it. */
function ownersFolder(name: string): string {
  const folder = join(scratch.path, name, 'private', 'tollgate')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

const foreignIn = (folder: string): string[] =>
  pathsIn(folder).filter((path) => lstatSync(path).uid !== OWNER)

const CATALOGUE = `[[providers]]
name = "google"
protocol = "gemini"
base_url = "https://generativelanguage.googleapis.com"
api_keys = ["a-key"]

[[models]]
id = "gemini-3-flash"
kind = "text"
display_name = "Flash"
context = 1000000
max_output_tokens = 64000
routes = [{ provider = "google", model = "gemini-3-flash" }]
price = { input = 3, output = 4 }
`

const PLUGIN = `import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
export default ({ app, gateway }) => {
  new Database(join(gateway.folder, 'mine.db'), { create: true }).run('CREATE TABLE seen (id INTEGER)')
  writeFileSync(join(gateway.folder, 'mine.txt'), 'x')
  app.get('/mine-as-' + process.geteuid(), () => '')
}
`

/** In this order; \`FOLDER\` is the data folder. The status of each is 0. */
const COMMANDS = [
  'account create alice',
  'credit alice 25',
  'key create alice',
  'account change alice --note x',
  'account invite alice',
  'account export alice --out FOLDER/alice.tar',
  'usage',
  'statement alice',
  'audit',
  'console reset',
  'backup FOLDER/before.tar.zst',
  'backup --database-only FOLDER/before.db',
  'backup verify FOLDER/before.tar.zst',
  'prices import FOLDER/list.json --markup 0% --yes',
  'config check',
  'config history',
  'plugin types',
  'plugin list',
  'debit alice 25',
  'account erase alice --yes',
].map((line) => line.split(' '))

const LISTED = {
  litellm_provider: 'gemini',
  mode: 'chat',
  input_cost_per_token: 1e-6,
  output_cost_per_token: 2e-6,
}

describe.skipIf(process.geteuid?.() !== 0)('root (skipped where this is not root)', () => {
  test('leaves every file to the owner of the folder, whichever command it runs', async () => {
    const folder = ownersFolder('commands')
    using scene = createScene('database', folder)
    writeFileSync(join(folder, 'list.json'), JSON.stringify({ 'gemini/gemini-3-flash': LISTED }))
    writeFileSync(join(folder, 'tollgate.toml'), CATALOGUE)
    giveToOwner(folder)
    for (const command of COMMANDS) {
      const { status, err } = await scene.run(...command.map((word) => word.replace('FOLDER', folder)))
      expect([command, status, err, foreignIn(folder)]).toEqual([command, 0, expect.any(String), []])
    }
    const restored = ownersFolder('restored')
    giveToOwner(restored)
    using empty = createScene('nothing', restored)
    expect((await empty.run('restore', join(folder, 'before.tar.zst'))).status).toBe(0)
    expect(foreignIn(restored)).toEqual([])
  }, 120_000)

  test('checks plugins as the owner, in a copy of their folder', async () => {
    const folder = ownersFolder('plugins')
    using scene = createScene('database', folder)
    mkdirSync(join(folder, 'plugins'))
    writeFileSync(join(folder, 'plugins/mine.ts'), PLUGIN)
    writeFileSync(join(folder, 'plugins/wrong.ts'), '\n\nexport default ({ app } => app')
    giveToOwner(folder)
    const before = pathsIn(folder)
    chmodSync(scratch.path, 0o755)
    const child = Bun.spawnSync([...commandOf('gateway'), 'plugin', 'check', '--json', '--data', scene.dir])
    const { plugins } = JSON.parse(child.stdout.toString())
    expect(plugins).toMatchObject([
      { name: 'mine', ok: true, routes: [`GET /mine-as-${OWNER}`] },
      { name: 'wrong', ok: false, problem: expect.stringContaining(`${folder}/plugins/wrong.ts:3:`) },
    ])
    expect([pathsIn(folder), foreignIn(folder)]).toEqual([before, []])
  }, 60_000)

  const checkOf = (folder: string) => {
    const child = Bun.spawnSync([...commandOf('gateway'), 'plugin', 'check', '--json', '--data', folder])
    return JSON.parse(child.stdout.toString() || '{}').plugins
  }

  test('checks plugins without files that only root can read, and with imports from beside their folder', () => {
    const folder = ownersFolder('linking')
    const reading = (path: string) =>
      `import { readFileSync } from 'node:fs'\nexport default ({ app }) => app.get('/' + readFileSync(${path}, 'utf8').trim(), '')\n`
    const closed = mkdtempSync(join(tmpdir(), 'root-only-'))
    using _removing = { [Symbol.dispose]: () => rmSync(closed, { recursive: true }) }
    writeFileSync(join(closed, 'secret.txt'), 'secret')
    for (const name of ['plugins/node_modules', 'lib', 'node_modules/words'])
      mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, 'plugins/inside.ts'), reading("import.meta.dir + '/inside.txt'"))
    writeFileSync(join(folder, 'plugins/words.txt'), 'words')
    symlinkSync('words.txt', join(folder, 'plugins/inside.txt'))
    writeFileSync(join(folder, 'plugins/data.ts'), reading("import.meta.dir + '/data.txt'"))
    symlinkSync(join(closed, 'secret.txt'), join(folder, 'plugins/data.txt'))
    writeFileSync(
      join(folder, 'plugins/package.ts'),
      reading("import.meta.dir + '/node_modules/p/secret.txt'"),
    )
    symlinkSync(closed, join(folder, 'plugins/node_modules/p'))
    symlinkSync('.', join(folder, 'plugins/node_modules/cycle'))
    symlinkSync('nowhere', join(folder, 'plugins/dangling.ts'))
    writeFileSync(join(folder, 'lib/x.ts'), "export const path = '/x'")
    writeFileSync(join(folder, 'node_modules/words/index.js'), "export const words = '/words'")
    writeFileSync(
      join(folder, 'plugins/outside.ts'),
      "import { path } from '../lib/x.ts'\nimport { words } from 'words'\nexport default ({ app }) => app.get(path + words, '')",
    )
    giveToOwner(folder)
    chmodSync(scratch.path, 0o755)
    const problem = expect.stringMatching(/EACCES|permission denied/i)
    expect(checkOf(folder)).toMatchObject([
      { name: 'data', ok: false, problem },
      { name: 'inside', ok: true, routes: ['GET /words'] },
      { name: 'outside', ok: true, routes: ['GET /x/words'] },
      { name: 'package', ok: false, problem },
    ])
    expect(foreignIn(folder)).toEqual([])
  }, 60_000)

  test('does not give the owner a folder that their symbolic link points to', async () => {
    const folder = ownersFolder('led-away')
    const foreign = scratch.at('foreign')
    mkdirSync(foreign)
    symlinkSync(foreign, join(folder, 'plugins'))
    giveToOwner(folder)
    using scene = createScene('nothing', folder)
    await scene.run('plugin', 'types')
    expect(lstatSync(foreign).uid).toBe(0)
  })
})
