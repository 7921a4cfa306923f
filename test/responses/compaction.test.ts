// Compaction, which Codex requests for a long conversation: by POST /v1/responses/compact or by an item of the input.
import { describe, expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { errorOf } from '../chat/support.ts'
import { TIDES } from '../support/replay.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { QUESTION, responsesScene } from './support.ts'

const { store, call, create, eventsFor, upstreamBody, upstream, lastCall, counts, expectCounts } =
  await responsesScene()
const model = MODELS.openai
const TURNS = [
  { role: 'user', content: QUESTION },
  { role: 'assistant', content: 'The Moon.' },
]
const TRIGGER = { type: 'compaction_trigger' }
const compact = (body: object) => call('/v1/responses/compact', { model, input: TURNS, ...body })

/** Every model gets the summary in place of the conversation. */
async function expectContinues(items: readonly JsonObject[]): Promise<void> {
  for (const provider of PROTOCOLS) {
    await create({ model: MODELS[provider], input: [...items, { role: 'user', content: 'Go on.' }] })
    const sent = upstream.last().body.toString()
    expect(sent).toContain('Summary of the conversation until here:')
    expect(sent).toContain(TIDES.slice(0, 40))
    expect(sent).not.toContain('The Moon.')
  }
}

describe('POST /v1/responses/compact', () => {
  test('a conversation becomes one item, which any model can continue from', async () => {
    const answer = (await (await compact({ instructions: 'Be brief.' })).json()) as JsonObject
    const { id, object, output, usage } = answer
    expect({ object, types: objectsIn(output).map(({ type }) => type) }).toEqual({
      object: 'response.compaction',
      types: ['compaction'],
    })
    expect(id).toMatch(/^resp_/)
    expect(usage).toMatchObject({ input_tokens: 14, output_tokens: 24 })
    expect(upstreamBody().messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      ...TURNS,
      { role: 'user', content: expect.stringContaining('Sum up this conversation') },
    ])
    expect(await lastCall()).toMatchObject({ surface: 'responses', outcome: 'completed' })
    await expectContinues(objectsIn(answer.output))
  })
  test('a kept response is compacted, and nothing more is kept', async () => {
    const { id = null } = await create({ model, input: QUESTION })
    const kept = store.all.size
    expect((await compact({ input: 'x', previous_response_id: id })).status).toBe(200)
    expect(objectsIn(upstreamBody().messages).slice(0, 2)).toMatchObject([TURNS[0] ?? {}, { content: TIDES }])
    expect(store.all.size).toBe(kept)
  })
  test('a request without a conversation is refused with 400', async () => {
    const before = counts()
    expect(await errorOf(await compact({ input: [] }))).toMatchObject({ status: 400, param: 'input' })
    await expectCounts(before)
  })
})

describe('an input that ends with compaction_trigger', () => {
  const body = { model, input: [...TURNS, TRIGGER], store: false }
  test('whole: the summary is the only item', async () => {
    const { output } = await create(body)
    expect(output).toMatchObject([{ type: 'compaction' }])
    await expectContinues(objectsIn(output))
  })
  test('streamed: created, the item, completed', async () => {
    const got = await eventsFor({ ...body, tools: [{ type: 'function', name: 'look' }] })
    expect(got.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(upstreamBody().tool_choice).toBe('none')
    await expectContinues(objectsIn(objectIn(got.at(-1)?.response).output))
  })
})
