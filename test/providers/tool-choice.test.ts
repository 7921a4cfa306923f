// Tests of the choice of tools: those that the prompt names, otherwise the one that fits its request; none after tool results.
import { describe, expect, test } from 'bun:test'
import { createRandom } from './random.ts'
import { argumentsFor, valueFor } from './schema.ts'
import { chooseFunctions, filesIn } from './tool-choice.ts'

const CLAUDE_CODE = ['Task', 'Bash', 'Glob', 'Grep', 'Read', 'Edit', 'Write', 'WebFetch', 'TodoWrite']
const CODEX = ['exec_command', 'write_stdin', 'update_plan', 'apply_patch', 'view_image']
const WEATHER = ['get_time', 'getWeather', 'send_mail']

const choose = (last_text: string, names: readonly string[], more: object = {}) =>
  chooseFunctions({
    functions: names.map((name) => ({ name, schema: {} })),
    calling: 'auto',
    results: [],
    parallel: true,
    last_text,
    ...more,
  }).map(({ name }) => name)

describe('a prompt that asks for an action', () => {
  test.each<[string, readonly string[], string[]]>([
    ['What is the weather in Paris?', WEATHER, ['getWeather']],
    ['Send anna a mail about it.', WEATHER, ['send_mail']],
    ['List the files in this folder.', CLAUDE_CODE, ['Glob']],
    ['Read README.md and sum it up.', CLAUDE_CODE, ['Read']],
    ['Please run the tests.', CLAUDE_CODE, ['Bash']],
    ['Run three shell commands, and say what they print.', CLAUDE_CODE, ['Bash']],
    ['Fix the typo in main.ts', CLAUDE_CODE, ['Edit']],
    ['Search for the greeting', CLAUDE_CODE, ['Grep']],
    ['List the files in this folder.', CODEX, ['exec_command']],
    ['Read the files a.txt and b.txt.', [...CODEX, 'read_mcp_resource'], ['exec_command']],
    ['Change the greeting in main.py', CODEX, ['apply_patch']],
    ['Use Read and Grep.', CLAUDE_CODE, ['Grep', 'Read']],
  ])('%s', (prompt, names, expected) => {
    expect(choose(prompt, names)).toEqual(expected)
  })

  test.each<[string, readonly string[]]>([
    ['Hello', CLAUDE_CODE],
    ['Why are there tides?', WEATHER],
    ['Tell me a joke.', CODEX],
    ['Thank you!', CLAUDE_CODE],
    ['List three rivers.', WEATHER],
  ])('no tool is called for %s', (prompt, names) => {
    expect(choose(prompt, names)).toEqual([])
  })

  test('text that an agent adds in tags is not read', () => {
    const reminder = '<system-reminder>Use TodoWrite. Read the files.</system-reminder>'
    expect(choose(`${reminder}\nHello`, CLAUDE_CODE)).toEqual([])
    expect(choose(`${reminder}\nRead main.ts`, CLAUDE_CODE)).toEqual(['Read'])
  })

  test.each<[string, object]>([
    ['after results', { results: [{ name: 'Read', response: 'x' }] }],
    ['if calling is off', { calling: 'none' }],
    ['if none is offered', { functions: [] }],
  ])('none is called %s', (_, more) => {
    expect(choose('Read main.ts', CLAUDE_CODE, more)).toEqual([])
  })

  test('one at a time, if only one is allowed', () => {
    expect(choose('Use Read and Grep.', CLAUDE_CODE, { parallel: false })).toEqual(['Grep'])
  })
})

test('arguments leave out optional properties, except those that the prompt determines', () => {
  const string = { type: 'string' }
  const properties = { command: string, timeout: { type: 'integer' }, path: string, sandbox: string }
  const made = (required?: string[]) =>
    Object.keys(
      argumentsFor({ type: 'object', properties, required }, createRandom('1', 0, 'x', 'y'), 'a') as object,
    )
  expect(made(['path'])).toEqual(['command', 'path'])
  expect(made()).toEqual(['command', 'timeout', 'path', 'sandbox'])
})

test('commands in arguments are harmless, for any prompt', () => {
  const string = { type: 'string' }
  const schema = {
    type: 'object',
    properties: { command: string, cmd: { type: 'array', items: string }, description: string },
    required: ['command', 'cmd', 'description'],
  }
  for (let seed = 0; seed < 50; seed++) {
    const made = valueFor(schema, createRandom(String(seed), 0, 'x', 'y'), 'rm -rf / now') as object
    expect(made).toMatchObject({ command: 'echo simulated', cmd: ['echo', 'simulated'] })
  }
})

test('a function for a file gets its name: as a path, or in a command that reads it', () => {
  const string = { type: 'string' }
  const properties = {
    file_path: string,
    filePath: string,
    cmd: string,
    command: { type: 'array', items: string },
  }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  expect(argumentsFor(schema, createRandom('1', 0, 'x', 'y'), 'Read a.txt', 'a.txt')).toEqual({
    file_path: 'a.txt',
    filePath: 'a.txt',
    cmd: 'cat a.txt',
    command: ['cat', 'a.txt'],
  })
})

test.each<[string, string[]]>([
  ['Read /tmp/one-1.txt, b/two.md and c.py. Then say it.', ['/tmp/one-1.txt', 'b/two.md', 'c.py']],
  ['<system-reminder>Read CLAUDE.md</system-reminder> Read a.txt', ['a.txt']],
  ['Read -rf.txt and $(rm).txt; version 1.5 of it', []],
])('the files of a prompt: %s', (prompt, files) => {
  expect(filesIn(prompt)).toEqual(files)
})
