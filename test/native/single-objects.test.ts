// The promise: where Google's own server and SDKs take one object in place of a list, so does the native surface.
import { expect, test } from 'bun:test'
import { answering, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'

const { call, upstream, counts, expectCounts } = await fileScene({ script: answering })
const CONTENT = { role: 'user', parts: { text: 'Hi' } }
const TOOL = { functionDeclarations: [{ name: 'f' }] }
const sent = () => JSON.parse(upstream.last().body.toString())

test.each([
  ['contents as one object', { contents: CONTENT }, { contents: [CONTENT] }],
  ['tools as one object', { ...ask(), tools: TOOL }, { tools: [TOOL] }],
  ['both', { contents: CONTENT, tools: TOOL }, { contents: [CONTENT], tools: [TOOL] }],
  ['lists stay', { contents: [CONTENT], tools: [TOOL] }, { contents: [CONTENT], tools: [TOOL] }],
])('%s', async (_, body, expected) => {
  expect((await call(wholePath(), body)).status).toBe(200)
  expect(sent()).toMatchObject(expected)
})

test('a single tool that the provider bills is refused as in a list', async () => {
  const [single, list] = await Promise.all(
    [{ googleSearch: {} }, [{ googleSearch: {} }]].map((tools) => call(wholePath(), { ...ask(), tools })),
  )
  expect([single?.status, list?.status]).toEqual([400, 400])
})

test.each([
  ['contents as a text', { contents: 'Hi' }],
  ['contents as a number', { contents: 7 }],
  ['contents as null', { contents: null }],
  ['no contents', {}],
  ['an empty list', { contents: [] }],
  ['an object without parts', { contents: {} }],
  ['a list in a list', { contents: [[CONTENT]] }],
])('refused: %s', async (_, body) => {
  const before = counts()
  expect((await call(wholePath(), body)).status).toBe(400)
  await expectCounts(before)
})
