// Tool loops against strict providers, by clients that send back their calls unchanged and nothing else; and the judge's findings.
import { describe, expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn } from '../../../../src/protocols/wire/json.ts'
import { fileScene } from '../../../support/scene.ts'
import { findLoopFaults, type Loop } from './judge.ts'
import { CURRENT_MODELS, type CurrentModel, loopsCatalogue } from './models.ts'
import { startStrictProviders } from './strict-providers.ts'

const CALLS = 3
const SECRETS = ['one secret', 'another secret', 'the last secret']
const PROMPT = 'Read the files a.txt , b.txt and c.txt , one after another.'
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const NAME = 'read_file'

const providers = startStrictProviders()
const { call, gateway } = await fileScene({ more: () => loopsCatalogue(providers.url, CALLS) })

/** A minimal client of a surface. */
interface Client {
  path(model: string): string
  begin(model: string): JsonObject
  /** The request after an answer; the answer's text if it called nothing. */
  next(request: JsonObject, answer: JsonObject, result: string): JsonObject | string
}

const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    begin: (model) => ({
      model,
      messages: [{ role: 'user', content: PROMPT }],
      tools: [{ type: 'function', function: { name: NAME, parameters: SCHEMA } }],
    }),
    next(request, { choices }, result) {
      const message = objectIn(objectsIn(choices)[0]?.message)
      const [tool_call] = objectsIn(message.tool_calls)
      if (!tool_call) return String(message.content)
      const { reasoning_content } = message
      const turn = { role: 'assistant', content: null, tool_calls: [tool_call] }
      const kept = reasoning_content === undefined ? turn : { ...turn, reasoning_content }
      const tool_result = { role: 'tool', tool_call_id: tool_call.id ?? '', content: result }
      return { ...request, messages: [...objectsIn(request.messages), kept, tool_result] }
    },
  },
  responses: {
    path: () => '/v1/responses',
    begin: (model) => ({
      model,
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [{ role: 'user', content: PROMPT }],
      tools: [{ type: 'function', name: NAME, parameters: SCHEMA }],
    }),
    next(request, { output }, result) {
      const function_call = objectsIn(output).find(({ type }) => type === 'function_call')
      if (!function_call) return JSON.stringify(output)
      const tool_result = {
        type: 'function_call_output',
        call_id: function_call.call_id ?? '',
        output: result,
      }
      return { ...request, input: [...objectsIn(request.input), ...objectsIn(output), tool_result] }
    },
  },
  messages: {
    path: () => '/v1/messages',
    begin: (model) => ({
      model,
      max_tokens: 9_000,
      thinking: { type: 'adaptive' },
      messages: [{ role: 'user', content: PROMPT }],
      tools: [{ name: NAME, input_schema: SCHEMA }],
    }),
    next(request, { content }, result) {
      const used = objectsIn(content).find(({ type }) => type === 'tool_use')
      if (!used) return JSON.stringify(content)
      const tool_result = { type: 'tool_result', tool_use_id: used.id ?? '', content: result }
      return {
        ...request,
        messages: [
          ...objectsIn(request.messages),
          { role: 'assistant', content: content ?? [] },
          { role: 'user', content: [tool_result] },
        ],
      }
    },
  },
  native: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    begin: () => ({
      contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
      tools: [{ functionDeclarations: [{ name: NAME, parametersJsonSchema: SCHEMA }] }],
    }),
    next(request, { candidates }, result) {
      const parts = objectsIn(objectIn(objectsIn(candidates)[0]?.content).parts)
      const kept = parts.filter(({ functionCall }) => functionCall !== undefined)
      if (kept.length === 0) return JSON.stringify(parts)
      const responses = kept.map(({ functionCall }): JsonObject => {
        const { args: _, ...called } = objectIn(functionCall)
        return { functionResponse: { ...called, response: { output: result } } }
      })
      return {
        ...request,
        contents: [
          ...objectsIn(request.contents),
          { role: 'model', parts: kept },
          { role: 'user', parts: responses },
        ],
      }
    },
  },
}

async function loopOf({ path, begin, next }: Client, model: CurrentModel): Promise<Loop> {
  const before = { calls: (await gateway.atRest()).calls.length, exchanges: providers.exchanges.length }
  let request: JsonObject | string = begin(model.id)
  const failures: string[] = []
  for (let turn = 0; typeof request !== 'string' && turn <= CALLS; turn++) {
    const response = await call(path(model.id), request, { headers: { 'anthropic-version': '2023-06-01' } })
    const answer = await response.text()
    if (response.status !== 200) failures.push(answer)
    request = response.status === 200 ? next(request, JSON.parse(answer), SECRETS[turn] ?? '') : ''
  }
  const { calls } = await gateway.atRest()
  return {
    model,
    loses_signatures: false,
    secrets: SECRETS,
    ended: { status: 0, stdout: String(request), stderr: '' },
    exchanges: providers.exchanges.slice(before.exchanges),
    calls: calls.slice(before.calls),
    failures,
  }
}

describe.each(Object.entries(CLIENTS))('%s', (_, client) => {
  test.each(CURRENT_MODELS.map((model) => [model.title, model] as const))(
    'a loop with %s is served',
    async (__, model) => {
      expect(findLoopFaults(await loopOf(client, model))).toEqual([])
    },
  )
})

describe('the judge finds', () => {
  const served = async (title: string, client = 'messages') => {
    const model = CURRENT_MODELS.find((each) => each.title === title)
    const found = CLIENTS[client]
    if (!model || !found) throw new Error(title)
    return await loopOf(found, model)
  }
  /** The last request of the loop, with a text in it replaced. */
  const changed = (loop: Loop, from: string | RegExp, to: string): Loop => ({
    ...loop,
    exchanges: loop.exchanges.map((exchange, at) =>
      at === CALLS
        ? { ...exchange, body: JSON.parse(JSON.stringify(exchange.body).replace(from, to)) }
        : exchange,
    ),
  })

  test.each<[string, (loop: Loop) => Loop, RegExp]>([
    ['a status', (loop) => ({ ...loop, ended: { ...loop.ended, status: 1 } }), /ended with status 1/],
    ['no answer', (loop) => ({ ...loop, ended: { ...loop.ended, stdout: '' } }), /final answer/],
    ['a failure', (loop) => ({ ...loop, failures: ['"status":429'] }), /429/],
    ['another result', (loop) => changed(loop, SECRETS[1] ?? '', 'nothing'), /result 2/],
    ['another id', (loop) => changed(loop, /"tool_use_id":"[^"]+"/, '"tool_use_id":"x"'), /the id "x"/],
    [
      'a lost signature',
      (loop) => changed(loop, /"signature":"[^"]+"/, '"signature":"x"'),
      /did not come back/,
    ],
    ['a free call', (loop) => ({ ...loop, calls: loop.calls.slice(1) }), /charged/],
    [
      'a refusal of the provider',
      (loop) => ({ ...loop, exchanges: loop.exchanges.map((each) => ({ ...each, status: 400 })) }),
      /refused/,
    ],
  ])('%s', async (_, change, fault) => {
    expect(findLoopFaults(change(await served('Claude'))).join('\n')).toMatch(fault)
  })

  test('lost visible thinking, even of clients that lose signatures', async () => {
    const loop = changed(
      await served('DeepSeek', 'chat'),
      /"reasoning_content":"[^"]+"/,
      '"reasoning_content":""',
    )
    expect(findLoopFaults({ ...loop, loses_signatures: true }).join('\n')).toMatch(/did not come back/)
  })
})
