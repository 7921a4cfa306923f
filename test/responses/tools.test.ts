// Issue: "Hosted tools … without a price in the model's entry are dropped, and the header names them; 400 only where tool_choice forces one".
import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { errorOf } from '../chat/support.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { QUESTION, responsesScene } from './support.ts'

const { post, upstreamBody, counts, expectCounts } = await responsesScene()
const LOOK = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
const SEARCH = { type: 'web_search', external_web_access: false }
const OTHERS: JsonObject[] = [
  { type: 'file_search', vector_store_ids: ['vs_1'] },
  { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'linux' },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'mcp', server_label: 'a', server_url: 'https://example.com' },
  { type: 'image_generation', size: '1024x1024' },
  { type: 'shell', environment: { type: 'container_auto' } },
  { type: 'tool_search' },
  { type: 'of_next_year' },
]
const send = (tools: Json[], more: JsonObject = {}, model = MODELS.openai) =>
  post({ model, input: QUESTION, tools, ...more })

describe('hosted tools are dropped, and named', () => {
  test.each(PROTOCOLS)('for a %s model, which gets functions alone', async (provider) => {
    const response = await send([SEARCH, LOOK, ...OTHERS, SEARCH], {}, MODELS[provider])
    expect(response.status).toBe(200)
    expect(response.headers.get('x-tollgate-dropped')).toBe(
      'web_search, file_search, computer_use_preview, code_interpreter, mcp, image_generation, shell, tool_search, of_next_year',
    )
    const answer = (await response.json()) as JsonObject
    expect(answer.tools).toEqual([LOOK])
    expect(JSON.stringify(upstreamBody())).toContain('"look"')
    expect(JSON.stringify(upstreamBody())).not.toMatch(
      /search|computer|interpreter|mcp|image_generation|shell/,
    )
  })
  test('in a stream too', async () => {
    const response = await send([SEARCH], { stream: true })
    expect(response.headers.get('x-tollgate-dropped')).toBe('web_search')
    expect(await response.text()).toContain('response.completed')
    expect(upstreamBody().tools).toBeUndefined()
  })
  test('in a choice among tools, too', async () => {
    const tool_choice = {
      type: 'allowed_tools',
      mode: 'auto',
      tools: [SEARCH, { type: 'function', name: 'look' }],
    }
    expect((await send([SEARCH, LOOK], { tool_choice })).status).toBe(200)
    expect(upstreamBody().tool_choice).toMatchObject({
      allowed_tools: { tools: [{ function: { name: 'look' } }] },
    })
  })
  test('in a request that is too large for the event loop, too', async () => {
    const input = 'x'.repeat(1_100_000)
    const response = await send([SEARCH, LOOK], { input })
    expect(response.headers.get('x-tollgate-dropped')).toBe('web_search')
    expect((await response.json()) as JsonObject).toMatchObject({ status: 'completed', tools: [LOOK] })
    expect(upstreamBody()).toMatchObject({
      messages: [{ content: input }],
      tools: [{ function: { name: 'look' } }],
    })
    expect(JSON.stringify(upstreamBody().tools)).not.toContain('search')
  })
  test('none is named where none is dropped', async () => {
    expect((await send([LOOK])).headers.get('x-tollgate-dropped')).toBeNull()
  })
})

describe('a hosted tool is refused where the choice forces it', () => {
  test.each<[string, Json[], Json]>([
    ['by its type', [SEARCH, LOOK], { type: 'web_search' }],
    [
      'as the only allowed ones',
      [SEARCH, LOOK],
      { type: 'allowed_tools', mode: 'required', tools: [SEARCH] },
    ],
    ['as the only tool, where one must be called', [SEARCH], 'required'],
  ])('%s', async (_, tools, tool_choice) => {
    const before = counts()
    const error = await errorOf(await send(tools, { tool_choice }))
    expect(error).toMatchObject({
      status: 400,
      param: 'tool_choice',
      message: expect.stringContaining('web_search'),
    })
    await expectCounts(before)
  })
})
