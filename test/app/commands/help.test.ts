// The help texts: they fit a terminal of 80 columns, and every command and option is described.
import { expect, test } from 'bun:test'
import { createScene } from './scene.ts'

const MAX_COLUMNS = 80

const scene = createScene('nothing')
scene.remove()
const helpOf = async (command: readonly string[]) => (await scene.run(...command, '--help')).out

/** Every command with a help text, as on the command line: the program itself, its commands, and theirs. */
async function commandsOf(command: readonly string[] = []): Promise<string[]> {
  const [, list = ''] = (await helpOf(command)).split('\nCommands:\n')
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
  const inner = names.filter((name) => name !== 'help').map((name) => commandsOf([...command, name]))
  return [command.join(' '), ...(await Promise.all(inner)).flat()]
}

const COMMANDS = await commandsOf()

test('every command has a help text', () => {
  expect(COMMANDS).toContain('key rotate')
  expect(COMMANDS).toContain('config check')
  expect(COMMANDS.length).toBeGreaterThan(20)
  expect(COMMANDS).toEqual(COMMANDS.toSorted())
})

test.each(COMMANDS)('tollgate %s --help', async (command) => {
  const help = await helpOf(command.split(' ').filter(Boolean))
  const lines = help.split('\n')
  expect(lines.filter((line) => line.length > MAX_COLUMNS)).toEqual([])
  const terms = lines.filter((line) => /^ {2}[^\s$]/.test(line))
  expect(terms.filter((line) => !/\S {2,}\S/.test(line))).toEqual([])
  const [, description = ''] = help.split('\n\n')
  expect(description).toEndWith('.')
})

/** The words of a shell's line, without a redirection. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ > \S+$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )

test.each(COMMANDS)('tollgate %s --help ends with an example that the command takes', async (command) => {
  const help = await helpOf(command.split(' ').filter(Boolean))
  if (/\nCommands:\n/.test(help) && command !== 'backup') return
  const [, example = ''] = help.split('\nExample:\n  $ tollgate ')
  const words = wordsOf(example.trim())
  expect(words.join(' ')).toStartWith(command)
  // Wrong usage is found before anything else, so that the missing folder does not matter.
  const { status, err } = command === 'serve' ? { status: 0, err: '' } : await scene.run(...words)
  expect([status, err]).not.toEqual([2, expect.any(String)])
})

test.each([
  ['help bakcup', "unknown command 'bakcup'\n(Did you mean backup?)"],
  ['help key craete', "unknown command 'craete'\n(Did you mean create?)"],
  ['key help craete', "unknown command 'craete'\n(Did you mean create?)"],
  // A command that takes an argument is not run.
  ['help backup verfy', "unknown command 'verfy'\n(Did you mean verify?)"],
  ['help xyzzy', "unknown command 'xyzzy'"],
])('%s is wrong usage, with a suggestion if a command is similar', async (line, words) => {
  const { status, out, err } = await scene.run(...line.split(' '))
  expect({ status, out }).toEqual({ status: 2, out: '' })
  expect(err).toStartWith(`error: ${words}`)
})

test.each([
  ['help', 'tollgate [options]'],
  ['help audit', 'tollgate audit'],
  ['help key create', 'tollgate key create'],
  ['key help create', 'tollgate key create'],
  ['backup help verify', 'tollgate backup verify'],
])('%s is the help of %s', async (line, name) => {
  const { status, out } = await scene.run(...line.split(' '))
  expect(status).toBe(0)
  expect(out).toStartWith(`Usage: ${name}`)
})
