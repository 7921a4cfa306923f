// Comments beside a secret of the catalogue: hidden whole in the visible text, and restored by a save.
import { describe, expect, test } from 'bun:test'
import { hideSecrets, restoreSecrets, showsSecretOf } from '../../src/catalogue/hidden-text.ts'
import { keysWrittenIn } from '../../src/catalogue/shared-bounds.ts'
import { createRedactor } from '../../src/observe/redact.ts'

const NOTE = 'old: correct-horse of anna'
const KEY = 'the-live-key-1'
const redactor = createRedactor([])
const PROVIDER = '[[providers]]\nname = "acme"\nbase_url = "https://acme.example"\n'

function hidden(text: string) {
  const found = hideSecrets(text, redactor)
  if (!found) throw new Error('the text is not TOML')
  return found
}

const SEVERAL_LINES = `"""\n${KEY}\n"""`
const PLACES: [string, string][] = [
  ['behind a list of one key', `${PROVIDER}api_keys = ["${KEY}"] # ${NOTE}\n`],
  ['behind it, without a space', `${PROVIDER}api_keys = ["${KEY}"]#${NOTE}\n`],
  ['behind a key in single quotes', `${PROVIDER}api_keys = ['${KEY}'] # ${NOTE}\n`],
  ['right above', `${PROVIDER}# ${NOTE}\napi_keys = ["${KEY}"]\n`],
  ['above, of several lines', `${PROVIDER}# ${NOTE}\n# Mine.\n#\napi_keys = ["${KEY}"]\n`],
  ['right below', `${PROVIDER}api_keys = ["${KEY}"]\n# ${NOTE}\n# Mine.\n`],
  ['above, across an empty line', `${PROVIDER}# ${NOTE}\n\napi_keys = ["${KEY}"]\n`],
  ['above, indented', `${PROVIDER}\t# ${NOTE}\n  api_keys = ["${KEY}"]\n`],
  ['first in a list', `${PROVIDER}api_keys = [\n  # ${NOTE}\n  "env:A",\n  "${KEY}",\n]\n`],
  [
    'between the keys of a list',
    `${PROVIDER}api_keys = [\n  "${KEY}",\n  # ${NOTE}\n\n  "other-key-123",\n]\n`,
  ],
  ['last in a list', `${PROVIDER}api_keys = [\n  "${KEY}",\n  "env:A",\n\n  # ${NOTE}\n]\n`],
  ['behind a key of a list', `${PROVIDER}api_keys = [\n  "${KEY}", # ${NOTE}\n]\n`],
  [
    'behind a reference in a list with a key',
    `${PROVIDER}api_keys = [\n  "${KEY}",\n  "env:A", # ${NOTE}\n]\n`,
  ],
  ['behind the bracket', `${PROVIDER}api_keys = [\n  "${KEY}",\n] # ${NOTE}\n`],
  ['behind an inline table', `${PROVIDER}headers = { "x-key" = "${KEY}" } # ${NOTE}\n`],
  ['behind a line of a table', `${PROVIDER}\n[providers.headers]\nx = "${KEY}" # ${NOTE}\n`],
  ['above a table’s line', `${PROVIDER}\n[providers.headers]\n# ${NOTE}\nx = "${KEY}"\n`],
  ['behind providers on one line', `providers = [{ name = "a", api_keys = ["${KEY}"] }] # ${NOTE}\n`],
  ['behind a dotted key', `${PROVIDER}headers.x = "${KEY}" # ${NOTE}\n`],
  ['behind a text of several lines', `${PROVIDER}headers = { x = ${SEVERAL_LINES} } # ${NOTE}\n`],
  ['behind the token of the metrics', `[metrics]\ntoken = "${KEY}" # ${NOTE}\n`],
  ['behind headers of telemetry', `[telemetry]\nheaders = { authorization = "${KEY}" } # ${NOTE}\n`],
  ['behind the secret of a webhook', `[alerts]\nwebhook_secret = "${KEY}" # ${NOTE}\n`],
  ['behind a passphrase', `[backup]\npassphrase = "${KEY}" # ${NOTE}\n`],
  ['behind a database', `[storage]\ndatabase = "postgres://u:${KEY}@db.example/x" # ${NOTE}\n`],
  ['above a bucket’s key', `[storage]\n# ${NOTE}\nsecret_access_key = "${KEY}"\n`],
  ['with lines that end in CR LF', `${PROVIDER}api_keys = ["${KEY}"] # ${NOTE}\n`.replaceAll('\n', '\r\n')],
]

describe.each(PLACES)('a comment %s', (_, text) => {
  test('is hidden whole, and comes back', () => {
    const found = hidden(text)
    for (const secret of [KEY, 'correct-horse', 'anna']) expect(found.text).not.toContain(secret)
    const of_one_line = text.replace(SEVERAL_LINES, `"${KEY}"`)
    expect(found.text.split('\n').length).toBe(of_one_line.split('\n').length)
    expect(restoreSecrets(found.text, found)).toMatchObject({ text, mistakes: [] })
    // As the history has it: the key is a mark already.
    expect(hidden(found.text).text).toBe(found.text)
  })

  test('is also hidden in a kept text whose key alone is a mark', () => {
    const kept = text
      .replace(SEVERAL_LINES, `"${KEY}"`)
      .replaceAll(KEY, 'hidden:abcd1234')
      .replace('postgres://u:hidden:abcd1234@db.example/x', 'hidden:abcd1234')
    expect(hidden(kept).text).not.toContain('correct-horse')
  })

  test('comes back beside a new key, but not into a visible place', () => {
    const found = hidden(text)
    const mark = /# hidden:[\w-]{8}/.exec(found.text)?.[0] ?? ''
    const other_key = found.text.replace(/"hidden:[\w-]{8}"/, '"another-key-9"')
    const restored = restoreSecrets(other_key, found)
    expect(restored.text).toContain(NOTE)
    expect(hidden(restored.text).text).not.toContain('correct-horse')

    const moved = `${found.text.replace(mark, '')}\n[limits] ${mark}\nreads_per_minute = 5\n`
    const { text: back, mistakes } = restoreSecrets(moved, found)
    if (back.includes('correct-horse')) expect(showsSecretOf(hidden(back), found)).toBe(true)
    else
      expect(mistakes.map(({ message }) => message)).toContainEqual(expect.stringContaining('a hidden text'))
  })
})

test('a comment behind an address with a password is hidden whole', () => {
  const text = `[[providers]]\nname = "a"\nbase_url = "https://u:${KEY}@a.example" # ${NOTE}\n`
  expect(hidden(text).text).not.toContain('correct-horse')
})

test('a comment behind a key that becomes a variable is a mistake at its line', () => {
  const found = hidden(`${PROVIDER}api_keys = ["${KEY}"] # ${NOTE}\n`)
  const { text, mistakes } = restoreSecrets(found.text.replace(/"hidden:[\w-]{8}"/, '"env:ACME"'), found)
  expect(text).not.toContain('correct-horse')
  expect(mistakes).toEqual([expect.objectContaining({ path: '', line: 4 })])
})

describe('a comment beside the name of a variable or a file', () => {
  const KEY_LIKE = 'c0rrect-h0rse-battery'
  test.each([
    `${PROVIDER}api_keys = ["env:ACME_KEY"] # old: ${KEY_LIKE}\n`,
    `${PROVIDER}api_keys = ["file:acme.key"] # old: ${KEY_LIKE}\n`,
    `${PROVIDER}api_keys = ["env:ACME_KEY"] # old: "${KEY_LIKE}"\n`,
    `${PROVIDER}api_keys = ["env:ACME_KEY"] # was hunter2\n`,
    `${PROVIDER}api_keys = [\n  "env:ACME_KEY", # was ${KEY_LIKE}\n]\n`,
    `${PROVIDER}api_keys = [\n  "env:ACME_KEY",\n  # "${KEY_LIKE}"\n]\n`,
    `${PROVIDER}# was ${KEY_LIKE}\napi_keys = ["env:ACME_KEY"]\n`,
    `${PROVIDER}api_keys = ["env:ACME_KEY"]\n# was ${KEY_LIKE}\n`,
    `[metrics]\ntoken = "env:METRICS" # was hunter2\n`,
    `${PROVIDER}#api_keys = ["env:ACME_KEY"] # old: ${KEY_LIKE}\n`,
    `${PROVIDER}# api_keys = ${KEY_LIKE}\n`,
    `[metrics]\n# token = ${KEY_LIKE}\n`,
    `[metrics]\n# token = 1234-${KEY_LIKE}\n`,
  ])('is hidden if it looks like a key, and not written to the database: %j', (text) => {
    const found = hidden(text)
    for (const secret of [KEY_LIKE, 'hunter2']) expect(found.text).not.toContain(secret)
    expect(restoreSecrets(found.text, found).text).toBe(text)
    expect(keysWrittenIn(text, redactor)).toHaveLength(1)
  })

  test.each([
    `${PROVIDER}api_keys = ["env:ACME_KEY_2026_1"] # of the team, env:ACME_KEY_2026_2 is next\n`,
    `${PROVIDER}# The first account.\napi_keys = ["env:ACME_KEY"]\n`,
    `# Written by Anna.\n\n${PROVIDER}api_keys = ["${KEY}"]\n\n# The models.\n[limits] # all of them\n`,
    `[[providers]] # ours\nname = "acme" # not secret\nbase_url = "https://acme.example"\n`,
  ])('is visible otherwise: %j', (text) => {
    const comments = (from: string) => from.match(/#.*/g)
    expect(comments(hidden(text).text)).toEqual(comments(text))
    if (!text.includes(KEY)) expect(keysWrittenIn(text, redactor)).toEqual([])
  })
})
