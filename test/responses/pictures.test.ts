// Issue: "`image_generation` through our own image models is the exception to build: it is billed per image and kept in the history".
import { beforeEach, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import OpenAI from 'openai'
import { suspendAccount } from '../../src/access/accounts.ts'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { dataUri, PNG } from '../images/support.ts'
import { paint } from '../media/support.ts'
import { eventually } from '../support/eventually.ts'
import { scene } from '../support/scene.ts'
import {
  catalogue,
  draw,
  MODELS,
  OTHER_PAINTER,
  PAINTER,
  PICTURE_NANOS,
  PRICED,
  paints,
  pictureScene,
  say,
  TURN_NANOS,
  telling,
  USAGE_OF,
  WIRES,
} from './picture-scene.ts'
import { eventsOf } from './support.ts'

const { gateway, upstream, call, asked_texts, asked_images, counts, expectCounts } = await pictureScene()
const TOOL = { type: 'image_generation' } as const
const EACH = WIRES.flatMap((wire) => [false, true].map((streams) => [wire, streams] as const))
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Output = OpenAI.Responses.ResponseOutputItem

/** A caller of their own for each test: the images' rate is an account's. */
let key = ''
let client: OpenAI
let first_call = 0
beforeEach(async () => {
  key = await gateway.caller('10')
  client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}v1`, maxRetries: 0 })
  first_call = gateway.rows().calls.length
})

const ask = (streams: boolean, body: Body) =>
  streams ? client.responses.stream({ ...body, stream: true }).finalResponse() : client.responses.create(body)
const catOf = (model: string, more: object = {}): Body => ({
  model,
  input: 'Draw a cat.',
  tools: [TOOL],
  ...more,
})
const post = (body: object, headers: Record<string, string> = {}) =>
  call('/v1/responses', body, { key, headers })
const streamed = async (body: object) => eventsOf(await (await post({ ...body, stream: true })).text())
const ours = async () => (await gateway.atRest()).calls.slice(first_call)
const costs = async () => (await ours()).map(({ model, cost_nanos }) => [model, cost_nanos])
const pictureIn = (output: readonly Output[]) => {
  const found = output.find((item) => item.type === 'image_generation_call')
  if (!found) throw new Error('there is no picture')
  return found
}
const typesOf = (items: readonly { type: string }[]) =>
  items.map(({ type }) => type).filter((type) => type !== 'reasoning')
const history = async (of = key): Promise<JsonObject[]> => {
  const page = (await (await call('/api/images/history', undefined, { key: of })).json()) as JsonObject
  return objectsIn(page.data ?? page.images ?? page.items)
}
/** What a model is told of its last call, on either wire. */
const toldLast = () => {
  const { messages, input } = asked_texts().at(-1) ?? {}
  return JSON.stringify(objectsIn(messages ?? input).at(-1))
}

describe.each(EACH)('%s, streamed: %p', (wire, streams) => {
  const model = MODELS[wire]

  test('the picture, then the model’s words; each call charged by itself, all of them the answer’s usage', async () => {
    const response = await ask(streams, catOf(model))
    expect(typesOf(response.output)).toEqual(['image_generation_call', 'message'])
    expect(pictureIn(response.output)).toMatchObject({
      status: 'completed',
      result: PNG.toString('base64'),
      revised_prompt: 'a cat',
      size: '48x32',
      quality: 'auto',
      background: 'auto',
      output_format: 'png',
    })
    expect(response).toMatchObject({ status: 'completed', model, tools: [TOOL], usage: USAGE_OF(2) })
    expect(response.output_text).toBe('A cat.')
    expect(await costs()).toEqual([
      [model, TURN_NANOS],
      [PAINTER, PICTURE_NANOS],
      [model, TURN_NANOS],
    ])
    const request_id = response.id.replace('resp_', 'req_')
    expect((await ours()).map((row) => [row.request_id, row.surface, row.images])).toEqual([
      [request_id, 'responses', 0],
      [`${request_id}-image-1`, 'responses', 1],
      [`${request_id}-turn-2`, 'responses', 0],
    ])
  })

  test('is kept in the history, under the id of its item', async () => {
    const { output } = await ask(streams, catOf(model))
    const { id } = pictureIn(output)
    expect(await history()).toMatchObject([
      { id: id.replace('ig_', ''), prompt: 'a cat', kind: 'generation' },
    ])
    const stored = await call(`/api/images/${id.replace('ig_', '')}`, undefined, { key })
    expect(Buffer.from(await stored.arrayBuffer())).toEqual(PNG)
  })

  test('the response can be read again, with its picture, and continued: the earlier picture is what is edited', async () => {
    const first = await ask(streams, catOf(model))
    expect(pictureIn((await client.responses.retrieve(first.id)).output)).toEqual(pictureIn(first.output))
    upstream.answer(telling([draw('the same cat, blue', { action: 'edit' }), say('Blue now.')]))
    const second = await ask(streams, {
      model,
      input: 'Make it blue.',
      previous_response_id: first.id,
      tools: [TOOL],
    })
    expect(pictureIn(second.output)).toMatchObject({ action: 'edit', status: 'completed' })
    const { path, body } = asked_images().at(-1) ?? {}
    expect(path).toEndWith('/images/edits')
    expect(body?.includes(PNG)).toBe(true)
    expect(await history()).toMatchObject([
      { kind: 'edit', parents: [pictureIn(first.output).id.replace('ig_', '')] },
      { kind: 'generation' },
    ])
  })

  test('a model that does not call it costs nothing more, and answers as without it', async () => {
    upstream.answer(telling([say('Tides are made by the Moon.')]))
    const response = await ask(streams, catOf(model))
    expect([typesOf(response.output), response.output_text]).toEqual([
      ['message'],
      'Tides are made by the Moon.',
    ])
    expect(await costs()).toEqual([[model, TURN_NANOS]])
  })

  test('forced: the first time only', async () => {
    await ask(streams, catOf(model, { tool_choice: TOOL }))
    const [first, second] = asked_texts()
    expect(JSON.stringify(first?.tool_choice)).toContain('"image_generation"')
    expect(second?.tool_choice ?? 'auto').toBe('auto')
  })

  test('a caller’s own function beside it: drawn, and the response ends with the call', async () => {
    const look = { type: 'function', name: 'look', parameters: {}, strict: false } as const
    const both = {
      calls: [
        { name: 'look', args: {} },
        { name: 'image_generation', args: { prompt: 'a cat' } },
      ],
    }
    upstream.answer(telling([both, say('Seen.')]))
    const first = await ask(streams, catOf(model, { tools: [look, TOOL] }))
    expect(typesOf(first.output)).toEqual(['function_call', 'image_generation_call'])
    const asked = first.output.find((item) => item.type === 'function_call') as
      | { call_id: string }
      | undefined
    const second = await ask(streams, {
      model,
      tools: [look, TOOL],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: asked?.call_id ?? '', output: 'grey' }],
    })
    expect(typesOf(second.output)).toEqual(['message'])
    expect(await costs()).toEqual([
      [model, TURN_NANOS],
      [PAINTER, PICTURE_NANOS],
      [model, TURN_NANOS],
    ])
  })

  test('too little money for the picture: it fails, and its model says so', async () => {
    const poor = await gateway.caller('0.04')
    client = new OpenAI({ apiKey: poor, baseURL: `${gateway.url}v1`, maxRetries: 0 })
    upstream.answer(telling([draw(), say('You have too little money.')]))
    const response = await ask(streams, catOf(model, { max_output_tokens: 100 }))
    expect(pictureIn(response.output)).toMatchObject({ status: 'failed', result: null })
    expect(typesOf(response.output)).toEqual(['image_generation_call', 'message'])
    expect(toldLast()).toContain('could not be made')
    expect(asked_images()).toEqual([])
    expect(await costs()).toEqual([
      [model, TURN_NANOS],
      [model, TURN_NANOS],
    ])
  })

  test('moderation: nothing is charged for the picture, and its model is told why', async () => {
    const blocked = {
      status: 400,
      steps: [{ send: JSON.stringify({ error: { code: 'moderation_blocked', message: 'no' } }) }],
    }
    upstream.answer(telling([draw(), say('I may not draw that.')], blocked))
    const response = await ask(streams, catOf(model))
    expect(pictureIn(response.output)).toMatchObject({
      status: 'failed',
      error: { code: 'content_policy_violation' },
    })
    expect(toldLast()).toContain('moderation')
    expect((await costs()).map(([, nanos]) => nanos)).toEqual([TURN_NANOS, 0, TURN_NANOS])
    expect(await history()).toMatchObject([{ state: 'failed' }])
  })

  test('a model that fails after its picture: the picture is the answer', async () => {
    upstream.answer(telling([draw(), { status: 500, steps: [{ send: '{}' }] }]))
    const response = await ask(streams, catOf(model))
    expect([response.status, typesOf(response.output)]).toEqual(['completed', ['image_generation_call']])
    expect((await costs()).map(([, nanos]) => nanos)).toEqual([TURN_NANOS, PICTURE_NANOS, 0])
  })

  test('neither a picture nor words: a failed response that was charged for what it took', async () => {
    const broken = { status: 500, steps: [{ send: '{}' }] }
    upstream.answer(telling([draw(), broken], broken))
    const events = streams ? await streamed(catOf(model)) : []
    const response = streams
      ? objectIn(events.at(-1)?.response)
      : ((await (await post(catOf(model))).json()) as JsonObject)
    expect(response).toMatchObject({ status: 'failed', usage: USAGE_OF(1) })
    expect(objectIn(response.error).message).toBeString()
    if (streams) expect(events.at(-1)?.type).toBe('response.failed')
  })
})

describe('the stream', () => {
  test.each(WIRES)('%s: each step of the picture in its place, all numbered', async (wire) => {
    const events = await streamed(catOf(MODELS[wire]))
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    const index = wire === 'own' ? 1 : 0
    const steps = events.filter(({ output_index }) => output_index === index)
    expect(steps.map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.image_generation_call.in_progress',
      'response.image_generation_call.generating',
      'response.image_generation_call.completed',
      'response.output_item.done',
    ])
    const id = objectIn(steps[0]?.item).id
    expect(steps.slice(1, 4).map(({ item_id }) => item_id)).toEqual([id, id, id])
    const last = objectIn(events.at(-1)?.response)
    const done = events.filter(({ type }) => type === 'response.output_item.done')
    expect(done.map(({ item }) => item)).toEqual(objectsIn(last.output))
    expect(done.map(({ output_index }) => output_index)).toEqual(done.map((_, at) => at))
    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1)
    expect(JSON.stringify(events)).not.toContain('function_call')
    const ids = objectsIn(last.output).map((item) => item.id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(WIRES)('%s: without a picture its events are those of a call without the tool', async (wire) => {
    upstream.answer(telling([say('Tides are made by the Moon.')]))
    const bare = (text: string) =>
      text.replaceAll(/_[\w-]{22}/g, '_x').replaceAll(/("(?:created|completed)_at":)\d+/g, '$10')
    const body = { ...catOf(MODELS[wire]), stream: true }
    const withTool = await (await post(body)).text()
    const tools = wire === 'own' ? [{ type: 'function', name: 'image_generation' }] : []
    const without = (await (await post({ ...body, tools: [] })).text()).replaceAll(
      `"tools":${JSON.stringify(tools)}`,
      `"tools":${JSON.stringify([TOOL])}`,
    )
    expect(eventsOf(bare(withTool))).toEqual(eventsOf(bare(without)))
  })

  test('the model’s first words come before the picture is drawn', async () => {
    const both = { says: 'One moment. ', calls: [{ name: 'image_generation', args: { prompt: 'a cat' } }] }
    const drawing = Promise.withResolvers<void>()
    upstream.answer(
      telling([both, say('Done.')], async () => {
        await drawing.promise
        return paints()
      }),
    )
    const response = await post({ ...catOf(MODELS.chat), stream: true })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('image_generation_call.generating')) text += (await reader?.read())?.value ?? ''
    expect(text).toContain('moment.')
    drawing.resolve()
    for (let value: string | undefined = ''; value !== undefined; value = (await reader?.read())?.value)
      text += value
    expect(eventsOf(text).at(-1)?.type).toBe('response.completed')
  })

  test('its caller leaves while the picture is drawn: what ran is charged, nothing else begins', async () => {
    const leaving = new AbortController()
    const drawing = Promise.withResolvers<void>()
    upstream.answer(
      telling([draw(), say('Never said.')], () => {
        drawing.resolve()
        return { steps: ['hang'] }
      }),
    )
    const response = await call(
      '/v1/responses',
      { ...catOf(MODELS.chat), stream: true },
      { key, signal: leaving.signal },
    )
    const read = response.text().catch(() => 'left')
    await drawing.promise
    leaving.abort()
    expect(await read).toBe('left')
    expect((await ours()).map(({ cost_nanos, outcome }) => [cost_nanos, outcome])).toEqual([
      [TURN_NANOS, 'completed'],
      [0, 'cancelled'],
    ])
    expect(asked_texts()).toHaveLength(1)
  })
})

describe('what comes in between', () => {
  test('the caller of a whole answer leaves while the picture is drawn', async () => {
    const leaving = new AbortController()
    const drawing = Promise.withResolvers<void>()
    const hangs = () => {
      drawing.resolve()
      return { steps: ['hang' as const] }
    }
    upstream.answer(telling([draw(), say('Never said.')], hangs))
    const { signal } = leaving
    const answer = call('/v1/responses', catOf(MODELS.chat), { key, signal }).then(
      () => 'answered',
      () => 'left',
    )
    await drawing.promise
    leaving.abort()
    expect(await answer).toBe('left')
    await eventually('the picture is given up', () => gateway.rows().calls.length === first_call + 2)
    expect((await costs()).map(([, nanos]) => nanos)).toEqual([TURN_NANOS, 0])
    expect(asked_texts()).toHaveLength(1)
  })

  test.each([false, true])('the account is suspended (streamed: %p): nothing more begins', async (stream) => {
    const name = gateway.rows().accounts.at(-1)?.name ?? ''
    const suspends = telling([draw(), say('Never said.')])
    upstream.answer(async (seen, index) => {
      await suspendAccount(gateway.store, name)
      return suspends(seen, index)
    })
    const response = stream
      ? objectIn((await streamed(catOf(MODELS.chat))).at(-1)?.response)
      : ((await (await post(catOf(MODELS.chat))).json()) as JsonObject)
    expect(response).toMatchObject({ status: 'failed', output: [{ status: 'failed', result: null }] })
    expect(await costs()).toEqual([[MODELS.chat, TURN_NANOS]])
  })
})

test('the gateway stops while the picture is drawn: the stream ends in due form, and what ran is charged', async () => {
  const stopping = await scene({ catalogue: catalogue('', 'shutdown_timeout_ms = 1') })
  const drawing = Promise.withResolvers<void>()
  stopping.upstream.answer(
    telling([draw(), say('Never said.')], () => {
      drawing.resolve()
      return { steps: ['hang'] }
    }),
  )
  const response = await stopping.call('/v1/responses', { ...catOf(MODELS.chat), stream: true })
  const read = response.text()
  await drawing.promise
  const stopped = stopping.gateway.started.stop()
  const events = eventsOf(await read)
  await stopped
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', output: [{ status: 'failed' }] },
  })
  expect(stopping.gateway.rows().calls.map(({ cost_nanos }) => cost_nanos)).toEqual([TURN_NANOS, 0])
  await stopping.upstream[Symbol.asyncDispose]()
  await rm(stopping.gateway.data_folder, { recursive: true })
})

describe('what is kept', () => {
  const keptBytes = (id: string) =>
    gateway.db
      .query<{ kept_bytes: number }, [string]>('SELECT kept_bytes FROM responses WHERE response_id = ?')
      .get(id)?.kept_bytes

  test('the response without its picture, which the history has; without it there, it is gone here too', async () => {
    const large = Buffer.from(await paint('png', { width: 1024, height: 1024 }))
    upstream.answer(telling([draw(), say('A cat.')], paints(large)))
    const { id, output } = await client.responses.create(catOf(MODELS.chat))
    const picture = pictureIn(output)
    expect(picture.result?.length).toBeGreaterThan(4_000)
    expect(keptBytes(id)).toBeLessThan(4_000)
    const listed = await client.responses.inputItems.list(id)
    expect(listed.data.map(({ type }) => type)).toEqual(['message'])
    const next = await client.responses.create(catOf(MODELS.chat, { previous_response_id: id }))
    const [earlier] = (await client.responses.inputItems.list(next.id)).data.filter(
      ({ type }) => type === 'image_generation_call',
    )
    expect(earlier).toMatchObject({ id: picture.id, result: null })
    const path = `/api/images/${picture.id.replace('ig_', '')}`
    expect((await call(path, undefined, { key, method: 'DELETE' })).status).toBe(200)
    expect(pictureIn((await client.responses.retrieve(id)).output).result).toBeNull()
  })

  test('nothing, with store: false; the history has the picture all the same', async () => {
    const { id } = await client.responses.create(catOf(MODELS.chat, { store: false }))
    expect(keptBytes(id)).toBeUndefined()
    expect(await history()).toHaveLength(1)
  })
})

describe('an Idempotency-Key', () => {
  test.each([false, true])(
    'covers all calls of the answer (streamed: %p): the same bytes, no second charge',
    async (stream) => {
      const headers = { 'idempotency-key': `cat-${stream}` }
      const first = await post({ ...catOf(MODELS.chat), stream }, headers)
      const bytes = await first.text()
      const charged = await costs()
      const again = await post({ ...catOf(MODELS.chat), stream }, headers)
      expect([await again.text(), again.headers.get('idempotent-replayed')]).toEqual([bytes, 'true'])
      expect(await costs()).toEqual(charged)
      expect(charged).toHaveLength(3)
    },
  )

  test('is free again where the first call failed', async () => {
    const headers = { 'idempotency-key': 'fails-first' }
    upstream.answer({ status: 500, steps: [{ send: '{}' }] })
    expect((await post(catOf(MODELS.chat), headers)).status).toBe(502)
    upstream.answer(telling([draw(), say('A cat.')]))
    expect((await post(catOf(MODELS.chat), headers)).status).toBe(200)
  })
})

describe('who draws', () => {
  test('the model that the tool names, in the quality, size and format that it asks for', async () => {
    const tool = {
      ...TOOL,
      model: OTHER_PAINTER,
      quality: 'high',
      size: '64x64',
      output_format: 'webp',
    } as const
    const { output } = await client.responses.create(catOf(MODELS.chat, { tools: [tool] }))
    expect(pictureIn(output)).toMatchObject({ quality: 'high', size: '64x64', output_format: 'webp' })
    expect((await costs())[1]).toEqual([OTHER_PAINTER, 200_000_000])
  })

  test('our first one, where the tool names one of OpenAI’s', async () => {
    await client.responses.create(catOf(MODELS.chat, { tools: [{ ...TOOL, model: 'gpt-image-2' }] }))
    expect((await costs())[1]).toEqual([PAINTER, PICTURE_NANOS])
  })

  test('the first that the key may call', async () => {
    const account = gateway.rows().accounts.at(-1)?.name ?? ''
    key = await gateway.key(account, { models: [MODELS.chat, OTHER_PAINTER] })
    expect((await post(catOf(MODELS.chat))).status).toBe(200)
    expect((await costs())[1]).toEqual([OTHER_PAINTER, 70_000_000])
  })

  test('nobody, for a key without image models: dropped and named; 400 where it is forced', async () => {
    const account = gateway.rows().accounts.at(-1)?.name ?? ''
    key = await gateway.key(account, { models: [MODELS.chat] })
    const dropped = await post(catOf(MODELS.chat))
    expect([dropped.status, dropped.headers.get('x-tollgate-dropped')]).toEqual([200, 'image_generation'])
    const before = counts()
    expect((await post(catOf(MODELS.chat, { tool_choice: TOOL }))).status).toBe(400)
    await expectCounts(before)
  })

  test('its provider itself, where the model’s price names that', async () => {
    upstream.answer(telling([say('Drawn.')]))
    expect((await post(catOf(PRICED))).status).toBe(200)
    expect(asked_texts().at(-1)?.tools).toEqual([TOOL])
  })

  test('a caller’s function of the same name stays theirs', async () => {
    const mine = { type: 'function', name: 'image_generation', parameters: {}, strict: false }
    const { output } = await client.responses.create(catOf(MODELS.chat, { tools: [mine, TOOL] }))
    expect(typesOf(output)).toEqual(['function_call'])
    upstream.answer(
      telling([{ calls: [{ name: 'image_generation_tool', args: { prompt: 'a cat' } }] }, say('A cat.')]),
    )
    const drawn = await client.responses.create(catOf(MODELS.chat, { tools: [mine, TOOL] }))
    expect(typesOf(drawn.output)).toEqual(['image_generation_call', 'message'])
  })
})

describe('what is edited', () => {
  const edits = () => telling([draw('the same, blue', { action: 'edit' }), say('Blue.')])
  const edited = async (input: OpenAI.Responses.ResponseInput, more: object = {}) => {
    upstream.answer(edits())
    const { output } = await client.responses.create(catOf(MODELS.own, { input, ...more }))
    return pictureIn(output)
  }
  const user = (content: string) => ({ role: 'user', content }) as const

  test.each([
    ['the item as it came', (item: object) => item],
    ['the item without its picture', ({ id }: { id: string }) => ({ type: 'image_generation_call', id })],
    ['a reference to the item', ({ id }: { id: string }) => ({ type: 'item_reference', id })],
  ])('%s', async (_, sent) => {
    const first = pictureIn((await client.responses.create(catOf(MODELS.chat, { store: false }))).output)
    const item = sent(first) as OpenAI.Responses.ResponseInputItem
    expect(await edited([user('Draw a cat.'), item, user('Make it blue.')])).toMatchObject({ action: 'edit' })
    expect(asked_images().at(-1)?.body.includes(PNG)).toBe(true)
  })

  test('an image that the caller shows; and a mask over it', async () => {
    const image = { type: 'input_image', image_url: dataUri(PNG), detail: 'auto' } as const
    const tools = [{ ...TOOL, input_image_mask: { image_url: dataUri(PNG) } }]
    const shown = [{ role: 'user' as const, content: [image] }]
    expect(await edited(shown, { tools })).toMatchObject({ action: 'edit', status: 'completed' })
    expect(asked_images().at(-1)?.body.toString('latin1')).toContain('name="mask"')
  })

  test.each([
    ['of another size', { width: 24, height: 32 }, 'must have the size of the first image'],
    ['without an alpha channel', { width: 48, height: 32, alpha: false }, 'must have an alpha channel'],
  ])('a mask %s: the edit fails before it is held or sent', async (_, of, words) => {
    const image = { type: 'input_image', image_url: dataUri(PNG), detail: 'auto' } as const
    const mask = dataUri(Buffer.from(await paint('png', of)))
    const drawn = asked_images().length
    const tools = [{ ...TOOL, input_image_mask: { image_url: mask } }]
    const picture = await edited([{ role: 'user', content: [image] }], { tools })
    expect(picture).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(words) } })
    expect(asked_images()).toHaveLength(drawn)
    expect((await costs()).map(([model]) => model)).not.toContain(PAINTER)
  })

  test('nothing: then it is drawn anew', async () => {
    expect(await edited([user('Make it blue.')])).toMatchObject({ action: 'generate', status: 'completed' })
  })

  test('another account’s picture: not found, whatever is sent but its id', async () => {
    const theirs = pictureIn((await client.responses.create(catOf(MODELS.chat))).output)
    key = await gateway.caller('10')
    client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}v1`, maxRetries: 0 })
    const drawn = asked_images().length
    const item = { type: 'image_generation_call', id: theirs.id } as OpenAI.Responses.ResponseInputItem
    expect(await edited([user('Draw.'), item, user('Make it blue.')])).toMatchObject({
      status: 'failed',
      error: { code: 'generation_not_found' },
    })
    expect(asked_images()).toHaveLength(drawn)
    const referred = await post(catOf(MODELS.own, { input: [{ type: 'item_reference', id: theirs.id }] }))
    expect(referred.status).toBe(404)
  })

  test.each(WIRES)(
    '%s: an earlier picture is told as the call that made it; in words, without the tool',
    async (wire) => {
      const first = await client.responses.create(catOf(MODELS.chat))
      upstream.answer(telling([say('Yes.')]))
      const next = { model: MODELS[wire], input: 'Nice?', previous_response_id: first.id }
      await client.responses.create({ ...next, tools: [TOOL] })
      expect(JSON.stringify(asked_texts().at(-1))).toContain('{\\"prompt\\":\\"a cat\\"}')
      await client.responses.create(next)
      expect(JSON.stringify(asked_texts().at(-1))).toContain(
        '[The image was made, and the user sees it. a cat]',
      )
      expect(JSON.stringify(asked_texts().at(-1))).not.toContain(PNG.toString('base64'))
    },
  )
})

test('a body that is parsed on a thread: drawn, edited and continued as others are', async () => {
  const input = [
    {
      role: 'user' as const,
      content: [{ type: 'input_image' as const, image_url: dataUri(PNG), detail: 'auto' as const }],
    },
    { role: 'user' as const, content: 'Make it blue.' },
  ]
  const metadata = { long: 'x'.repeat(1_200_000) }
  upstream.answer(telling([draw('the same, blue', { action: 'edit' }), say('Blue.')]))
  for (const model of [MODELS.chat, MODELS.own]) {
    upstream.answer(telling([draw('the same, blue', { action: 'edit' }), say('Blue.')]))
    const response = await client.responses.create(catOf(model, { input, metadata }))
    expect(pictureIn(response.output)).toMatchObject({ action: 'edit', status: 'completed' })
    expect(response.output_text).toBe('Blue.')
  }
})

describe('bounds', () => {
  test('a model that draws without end is asked five times, the last time without the tool', async () => {
    upstream.answer(telling([draw()]))
    const { output } = await client.responses.create(catOf(MODELS.chat))
    expect(asked_texts().map(({ tool_choice = 'auto' }) => tool_choice)).toEqual([
      'auto',
      'auto',
      'auto',
      'auto',
      'none',
    ])
    expect(output.filter(({ type }) => type === 'image_generation_call')).toHaveLength(5)
  })

  test('eight pictures, or as many as max_tool_calls says', async () => {
    const many = {
      calls: Array.from({ length: 10 }, () => ({ name: 'image_generation', args: { prompt: 'a cat' } })),
    }
    upstream.answer(telling([many, say('Enough.')]))
    const drawn = async (more: object) =>
      (await client.responses.create(catOf(MODELS.chat, more))).output.filter(
        (item) => item.type === 'image_generation_call' && item.status === 'completed',
      ).length
    expect(await drawn({})).toBe(8)
    upstream.answer(telling([many, say('Enough.')]))
    expect(await drawn({ max_tool_calls: 2 })).toBe(2)
  })

  test('a call that was cut off is not drawn', async () => {
    upstream.answer(telling([{ calls: [{ name: 'image_generation', args: {} }], cut: true }]))
    const response = await client.responses.create(catOf(MODELS.own))
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
    expect(pictureIn(response.output).status).toBe('failed')
    expect(await costs()).toEqual([[MODELS.own, TURN_NANOS]])
  })

  test('the images’ rate: what is over it fails, and its model is told', async () => {
    for (let count = 0; count < 30; count++)
      await call('/v1/images/generations', { model: 'nobody', prompt: 'x' }, { key })
    const { output } = await client.responses.create(catOf(MODELS.chat))
    expect(pictureIn(output)).toMatchObject({ status: 'failed', error: { code: 'rate_limited' } })
  })
})

describe('refused, and nothing held', () => {
  test.each([
    ['a size that is none', { size: 'large' }, 'size'],
    ['a quality that there is not', { quality: 'best' }, 'tools[0].quality'],
    ['a format that there is not', { output_format: 'svg' }, 'tools[0].output_format'],
    ['a background that there is not', { background: 'blue' }, 'tools[0].background'],
    ['a transparent JPEG', { output_format: 'jpeg', background: 'transparent' }, 'background'],
    [
      'a mask that is no PNG',
      { input_image_mask: { image_url: 'https://example.com/mask.png' } },
      'tools[0].input_image_mask.image_url',
    ],
    ['an action that there is not', { action: 'erase' }, 'tools[0].action'],
  ])('%s', async (_, fields, param) => {
    const before = counts()
    const response = await post(catOf(MODELS.chat, { tools: [{ ...TOOL, ...fields }] }))
    const { error } = (await response.json()) as { error: JsonObject }
    expect([response.status, error.param]).toEqual([400, param])
    await expectCounts(before)
  })

  test('an image model that the key may not call: 403', async () => {
    const account = gateway.rows().accounts.at(-1)?.name ?? ''
    key = await gateway.key(account, { models: [MODELS.chat, PAINTER] })
    const before = counts()
    const response = await post(catOf(MODELS.chat, { tools: [{ ...TOOL, model: OTHER_PAINTER }] }))
    expect([response.status, objectIn(((await response.json()) as JsonObject).error).code]).toEqual([
      403,
      'MODEL_ACCESS_DENIED',
    ])
    await expectCounts(before)
  })
})
