// Comments beside a key of the catalogue, over the console's routes: in no answer, and unchanged in the file after a save.
import { afterAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keepText } from '../../../src/catalogue/past.ts'
import { signedIn } from '../../support/console-session.ts'
import { fileScene } from '../../support/scene.ts'

const NOTE = 'old: correct-horse of anna'
const { gateway } = await fileScene({
  provider: `headers = { "x-secret" = "secret-of-a-header-77" } # ${NOTE}`,
})
const operator = await signedIn(gateway, 'operator')
const file = () => readFile(join(gateway.data_folder, 'tollgate.toml'), 'utf8')

const answers: string[] = []
async function ask(method: string, path: string, body?: unknown) {
  const answer = await operator.json(method, path, body)
  answers.push(JSON.stringify(answer))
  return answer
}
afterAll(() => {
  expect(answers.length).toBeGreaterThan(8)
  expect(answers.join('\n')).not.toContain('correct-horse')
})

test('the file, a draft, its review, the history, and its drafts hide the comment', async () => {
  const before = await file()
  const { hash, text } = await ask('GET', '/catalogue')
  expect(text).toMatch(/headers = .* # hidden:[\w-]{8}\n/)
  const edits = [{ op: 'set', path: ['retention', 'traces'], value: 7 }]
  await ask('POST', '/catalogue/check', { text, edits })
  await ask('POST', '/catalogue/previews', { text, edits })
  await ask('POST', '/catalogue/save', { text, edits, hash })
  expect(await file()).toContain(before.trim())
  const [{ version }] = (await ask('GET', '/catalogue/versions')).versions
  const answer = await ask('GET', `/catalogue/versions/${version}`)
  expect((await ask('POST', '/catalogue/check', { text: answer.draft.text })).mistakes).toEqual([])
})

test('a form that changes a key keeps the comment behind it', async () => {
  const { hash } = await ask('GET', '/catalogue')
  const edits = [{ op: 'set', path: ['providers', 0, 'headers', 'x-secret'], value: 'another-secret-78' }]
  await ask('POST', '/catalogue/save', { edits, hash })
  expect(await file()).toContain(`another-secret-78" } # ${NOTE}`)
})

test('a comment typed behind a mark is not kept in the tab', async () => {
  const { text } = await ask('GET', '/catalogue')
  const typed = text.replace(/# hidden:[\w-]{8}/, '# new: battery-staple')
  const { safe_text } = await operator.json('POST', '/catalogue/check', { text: typed })
  expect(safe_text).not.toContain('battery-staple')
})

test('a version kept with the comment hides it', async () => {
  const kept = (await file()).replaceAll(/"(secret|another)[^"]*"/g, '"hidden:abcd1234"')
  expect(kept).toContain(NOTE)
  const made = { text: kept, made_by: 'file' as const, made_at_ms: Date.now() }
  const version = await gateway.store.begin((tx) => keepText(tx, made))
  await ask('GET', `/catalogue/versions/${version}`)
  await ask('GET', '/audit-log')
})
