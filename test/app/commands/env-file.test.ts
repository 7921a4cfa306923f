// `--env-file`: the variables of a file become the environment of a command and of the processes that it starts.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { addEnvFile, parseEnvFile } from '../../../src/app/commands/env-file.ts'
import { startOwnCommand } from '../../../src/app/process/own-process.ts'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import { commandOf } from '../../support/programs.ts'
import { createScene } from './scene.ts'

describe('a file is read as systemd reads it (systemd.exec(5), EnvironmentFile=)', () => {
  test.each<[text: string, values: Record<string, string>]>([
    ['', {}],
    ['A=1', { A: '1' }],
    ['A=1\nB=2\n', { A: '1', B: '2' }],
    ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['\uFEFFA=1', { A: '1' }],
    ['A=1\nA=2', { A: '2' }],
    ['A=', { A: '' }],
    ['A=\nB=2', { A: '', B: '2' }],
    ['  A = 1 2  \n', { A: '1 2' }],
    ['A=x=y', { A: 'x=y' }],
    ['A=x#y ;z', { A: 'x#y ;z' }],
    ['# A=1\n; B=2\nC=3', { C: '3' }],
    ['# goes on \\\nA=1\nB=2', { B: '2' }],
    ["A='x y'", { A: 'x y' }],
    ['A="x y" ', { A: 'x y' }],
    [`A='x' "y"z`, { A: 'xyz' }],
    ['A=x"y"', { A: 'x"y"' }],
    ["A='x\ny'\nB=2", { A: 'x\ny', B: '2' }],
    ["A='\\n\"'", { A: '\\n"' }],
    ['A="\\"\\\\\\$\\`\\n"', { A: '"\\$`\\n' }],
    ['A="x\\\ny"', { A: 'xy' }],
    ['A=x\\\ny', { A: 'xy' }],
    ['A=\\x\\ y\\\\', { A: 'x y\\' }],
    ['A=$HOME', { A: '$HOME' }],
    ['A=ключ', { A: 'ключ' }],
  ])('%p', (text, values) => {
    expect(Object.fromEntries(parseEnvFile(text))).toEqual(values)
  })

  test.each([
    ['A', 1],
    ['A=1\nno variable', 2],
    ['A=1\n\nexport B=secret', 3],
    ['1A=secret', 1],
    ['A-B=secret', 1],
    ['=secret', 1],
    ['A=1\nB="secret', 2],
    ["A='secret\nB=2", 1],
  ])('%p is refused by the number of line %d, without its text', (text, line) => {
    expect(() => parseEnvFile(text)).toThrow(`line ${line}: `)
    expect(() => parseEnvFile(text)).not.toThrow('secret')
  })
})

describe('a command', () => {
  const scene = createScene()
  afterAll(() => scene.remove())
  const file = scene.path('tollgate.env')
  const env_file = ['--env-file', file]
  writeFileSync(
    scene.path('tollgate.toml'),
    `${FIRST_CATALOGUE}\n[metrics]\ntoken = "env:TOKEN"\n[backup]\npassphrase = "env:BACKUP_PASSPHRASE"\n`,
  )
  const writeEnvFile = (text: string) => writeFileSync(file, text)

  test('without the variable says how to set it', async () => {
    scene.env = {}
    const { status, err } = await scene.run('backup')
    expect(status).toBe(1)
    expect(err).toContain(
      'BACKUP_PASSPHRASE is not set. Set it, or name the file that has it with --env-file',
    )
  })

  test('reads the variable from the file, whether the option comes first or last', async () => {
    writeEnvFile(`TOKEN=${'t'.repeat(16)}\nBACKUP_PASSPHRASE="four words or more"\n`)
    for (const args of [
      [...env_file, 'config', 'check'],
      ['config', 'check', ...env_file],
    ]) {
      scene.env = {}
      expect((await scene.json('config', 'check')).warnings).toHaveLength(2)
      expect((await scene.json(...args)).warnings).toEqual([])
    }
  })

  test('prefers the file to its environment', async () => {
    scene.env = { TOKEN: 'too short' }
    expect((await scene.run('config', 'check')).status).toBe(1)
    expect((await scene.run('config', 'check', ...env_file)).status).toBe(0)
  })

  test.each([
    ['BACKUP_PASSPHRASE=x\nsecret words\n', 'tollgate.env: line 2: write NAME=value'],
    [undefined, 'nowhere.env: file or folder not found'],
  ])('refuses a file with %p before it does anything', async (text, words) => {
    if (text !== undefined) writeEnvFile(text)
    const path = text === undefined ? scene.path('nowhere.env') : file
    const { status, out, err } = await scene.run('account', 'create', 'eve', '--env-file', path)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toContain(words)
    expect(err).not.toContain('secret')
    expect((await scene.json('account', 'list')).accounts).toEqual([])
  })
})

test('the file may name the data folder', async () => {
  const scene = createScene()
  await scene.run('account', 'create', 'anna')
  writeFileSync(scene.path('tollgate.env'), `TOLLGATE_DATA=${scene.dir}\n`)
  const ran = Bun.spawnSync([
    ...commandOf('gateway'),
    'account',
    'list',
    '--env-file',
    scene.path('tollgate.env'),
  ])
  scene.remove()
  expect(ran.stdout.toString()).toContain('anna')
})

test('processes that the gateway starts get the variables, too', async () => {
  const scene = createScene()
  await scene.run('account', 'create', 'anna')
  writeFileSync(scene.path('tollgate.env'), `TOLLGATE_DATA=${scene.dir}\n`)
  const { TOLLGATE_DATA: before } = process.env
  try {
    addEnvFile(scene.path('tollgate.env'), process.env)
    expect(await startOwnCommand(['account', 'list']).stdout.text()).toContain('anna')
  } finally {
    if (before === undefined) delete process.env.TOLLGATE_DATA
    else process.env.TOLLGATE_DATA = before
    scene.remove()
  }
})
