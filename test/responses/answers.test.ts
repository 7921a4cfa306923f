// Issue: "whole and streamed with every event kind that the SDKs and Codex read": answers of every provider as responses.
import { describe, expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { replay, TIDES } from '../support/replay.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { events, whole } from '../support/upstream.ts'
import { QUESTION, responsesScene } from './support.ts'

const { upstream, create, eventsFor, post, lastCall } = await responsesScene()

const TOOLS = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }]
const typesOf = (got: readonly JsonObject[]) => got.map(({ type }) => type)
const lastOf = (got: readonly JsonObject[]) => objectIn(got.at(-1)?.response)
/** The part of an item that does not differ between providers. */
const gist = (items: unknown) =>
  objectsIn(items as JsonObject[]).map((item) => {
    if (item.type === 'message') return objectsIn(item.content).map(({ text, refusal }) => text ?? refusal)
    if (item.type === 'function_call') return [item.name, JSON.parse(String(item.arguments))]
    return item.type
  })

describe.each(PROTOCOLS)('a %s model', (provider) => {
  const body = { model: MODELS[provider], input: QUESTION }

  test('a whole answer: one message, its usage as billed, and the settings of the request', async () => {
    const answer = await create({
      ...body,
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      max_output_tokens: 99,
    })
    expect(answer).toMatchObject({
      object: 'response',
      status: 'completed',
      model: MODELS[provider],
      error: null,
      incomplete_details: null,
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      max_output_tokens: 99,
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [],
      text: { format: { type: 'text' } },
      usage: { input_tokens: 14, output_tokens: 24, total_tokens: 38 },
    })
    expect(answer.id).toMatch(/^resp_[\w-]{22}$/)
    expect(gist(answer.output)).toEqual([[TIDES]])
    expect(await lastCall()).toMatchObject({ surface: 'responses', outcome: 'completed', estimated: 0 })
  })

  test('a stream: each event in its place, numbered, and at its end the same response as a whole one', async () => {
    const got = await eventsFor(body)
    expect(got.map(({ sequence_number }) => sequence_number)).toEqual(got.map((_, index) => index))
    const deltas = got.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(TIDES)
    expect(typesOf(got.filter((event) => !deltas.includes(event)))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const { id: _, created_at: __, completed_at: ___, output, ...last } = lastOf(got)
    const {
      id: ____,
      created_at: _____,
      completed_at: ______,
      output: whole_output,
      ...other
    } = await create(body)
    expect(last).toEqual(other)
    expect(gist(output)).toEqual(gist(whole_output))
    const ids = got.flatMap(({ item_id }) => (item_id === undefined ? [] : [item_id]))
    expect([...new Set(ids)]).toEqual([objectsIn(output)[0]?.id ?? null])
  })

  test('tool calls: their arguments in pieces and whole', async () => {
    upstream.answer(replay('tools'))
    const got = await eventsFor({ ...body, tools: TOOLS })
    const calls = got.filter(
      ({ type, item }) => type === 'response.output_item.done' && objectIn(item).type === 'function_call',
    )
    for (const { output_index, item } of calls) {
      const of = (type: string) =>
        got.filter((event) => event.type === type && event.output_index === output_index)
      const pieces = of('response.function_call_arguments.delta').map(({ delta }) => delta)
      expect(pieces.join('')).toBe(String(objectIn(item).arguments))
      expect(of('response.function_call_arguments.done')).toMatchObject([{ arguments: pieces.join('') }])
    }
    expect(gist(calls.map(({ item = null }) => item))).toEqual([
      ['get_weather', { city: 'Bergen', days: 2 }],
      ['get_weather', { city: 'Oslo' }],
    ])
    expect(gist((await create({ ...body, tools: TOOLS })).output)).toEqual(gist(lastOf(got).output))
  })

  test('an answer that reached its limit is incomplete, and says why', async () => {
    upstream.answer(replay('length'))
    const got = await eventsFor(body)
    const ended = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(got.at(-1)).toMatchObject({ type: 'response.incomplete', response: ended })
    expect(await create(body)).toMatchObject(ended)
  })
})

describe('thinking', () => {
  const thinkers = PROTOCOLS.filter((provider) => provider !== 'openai')
  test.each(thinkers)(
    'of a %s model is a reasoning item with a summary, streamed piece by piece',
    async (provider) => {
      upstream.answer(replay('tools'))
      const got = await eventsFor({
        model: MODELS[provider],
        input: QUESTION,
        tools: TOOLS,
        reasoning: { effort: 'low', summary: 'auto' },
      })
      const [item] = objectsIn(lastOf(got).output)
      expect(item).toMatchObject({
        type: 'reasoning',
        status: 'completed',
        summary: [{ type: 'summary_text', text: 'Two cities, so two calls.' }],
      })
      expect(got.find(({ type }) => type === 'response.output_item.added')).toMatchObject({
        item: { type: 'reasoning', status: 'in_progress' },
      })
      const of = got.filter(({ item_id }) => item_id === item?.id)
      expect(new Set(typesOf(of))).toEqual(
        new Set([
          'response.reasoning_summary_part.added',
          'response.reasoning_summary_text.delta',
          'response.reasoning_summary_text.done',
          'response.reasoning_summary_part.done',
        ]),
      )
      expect(of.at(-1)).toMatchObject({ part: { text: 'Two cities, so two calls.' } })
    },
  )
  test.each(thinkers)(
    'of a %s model: its signatures come back unchanged with the next turn',
    async (provider) => {
      upstream.answer(replay('tools'))
      const first = {
        model: MODELS[provider],
        input: QUESTION,
        tools: TOOLS,
        reasoning: { effort: 'low' },
        store: false,
      }
      for (const output of [(await create(first)).output, lastOf(await eventsFor(first)).output]) {
        const items = objectsIn(output)
        const results = items.flatMap(({ type, call_id }) =>
          type === 'function_call' ? { type: 'function_call_output', call_id, output: '7' } : [],
        )
        await create({ ...first, input: [{ role: 'user', content: QUESTION }, ...items, ...results] })
        const sent = upstream.last().body.toString()
        const signature = SIGNATURE.exec(sent)
        expect(signature).not.toBeNull()
        expect(
          items
            .map(({ encrypted_content }) => Buffer.from(String(encrypted_content), 'base64').toString())
            .join(),
        ).toContain(String(signature?.[1]))
      }
    },
  )
})
const SIGNATURE = /"(?:signature|thoughtSignature)":"([^"]+)"/

describe('refusals and filters', () => {
  const body = { model: MODELS.openai, input: QUESTION }
  test('a refusal stays a refusal, whole and streamed', async () => {
    upstream.answer(replay('refused'))
    const got = await eventsFor(body)
    expect(typesOf(got)).toContain('response.refusal.delta')
    const content = [{ type: 'refusal', refusal: expect.stringMatching(/\S/) }]
    expect(lastOf(got)).toMatchObject({ status: 'completed', output: [{ content }] })
    expect(await create(body)).toMatchObject({ status: 'completed', output: [{ content }] })
  })
  test('an answer that a filter stopped is incomplete', async () => {
    upstream.answer(
      whole({
        choices: [
          { index: 0, message: { role: 'assistant', content: 'No' }, finish_reason: 'content_filter' },
        ],
      }),
    )
    expect(await create(body)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    })
  })
})

describe('a stream that breaks', () => {
  test('ends with error and response.failed, numbered on, and the delivered text is charged', async () => {
    const piece = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Tides rise and fall.' }] }, index: 0 }],
    }
    upstream.answer({ ...events([piece]), steps: [{ event: piece }, 'reset'] })
    const got = await eventsFor({ model: MODELS.gemini, input: QUESTION })
    expect(got.slice(-2)).toMatchObject([
      { type: 'error', code: 'upstream_error', message: expect.stringContaining('interrupted its answer') },
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } },
    ])
    expect(got.map(({ sequence_number }) => sequence_number)).toEqual(got.map((_, index) => index))
    expect(await lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, output_tokens: 5 })
  })
})

test('the id of an answer names its request', async () => {
  const response = await post({ model: MODELS.gemini, input: QUESTION })
  const { id } = (await response.json()) as JsonObject
  expect(`req_${String(id).replace('resp_', '')}`).toBe(response.headers.get('x-request-id') ?? '')
})
