// silent.md, Chat completions, models, embeddings: "The answer names the model that the caller asked for, on every surface", here audio,
// moderations and rerank, where bytes pass.
import { describe, expect, test } from 'bun:test'
import { REQUESTS } from '../disconnect/surfaces.ts'
import { fileScene } from '../support/scene.ts'
import { UPSTREAM, unitModels } from '../support/unit-models.ts'
import { type Answer, stream, whole } from '../support/upstream.ts'

const { upstream, call, lastCall } = await fileScene({ more: unitModels })

const sent = (more: object) => whole(`${JSON.stringify({ model: UPSTREAM, ...more }, undefined, 1)}\n`)
const sound: Answer = { headers: { 'content-type': 'audio/pcm' }, steps: [{ send: 'a'.repeat(4_800) }] }
const spokenEvents = stream(
  { send: 'data: {"type":"transcript.text.delta","delta":"Tides rise."}\n\n' },
  { send: 'data: {"type":"transcript.text.done","text":"Tides rise."}\n\n' },
)
const RESULTS = [{ index: 0, relevance_score: 0.5 }]

const WAYS = [
  ['speech', 'voice', REQUESTS.speech('voice', { response_format: 'pcm' }), sound],
  ['a transcription', 'ear', REQUESTS.transcription('ear', false), sent({ text: 'Tides rise.' })],
  ['a streamed transcription', 'ear', REQUESTS.transcription('ear', true), spokenEvents],
  ['a moderation', 'judge', REQUESTS.moderation('judge'), sent({ results: [{ flagged: false }] })],
  ['a rerank', 'sorter', REQUESTS.rerank('sorter'), sent({ results: RESULTS })],
] as const

describe.each(WAYS)('%s', (_, model, request, answer) => {
  async function ask(): Promise<Response> {
    upstream.answer(answer)
    if (!(request.body instanceof FormData)) return call(request.path, request.body)
    const encoded = new Response(request.body)
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
    return call(request.path, await encoded.bytes(), { headers })
  }

  test('names the provider’s own model in a header, as the record does', async () => {
    const response = await ask()
    expect([response.status, response.headers.get('x-tollgate-upstream-model')]).toEqual([200, UPSTREAM])
    await response.text()
    expect(await lastCall()).toMatchObject({ model, upstream_model: UPSTREAM })
  })

  test('names the requested model only, and no other byte changes', async () => {
    const got = await (await ask()).text()
    const passed = answer.steps
      .map((step) => (typeof step === 'object' && 'send' in step ? step.send : ''))
      .join('')
    expect(got).toBe(passed.replace(UPSTREAM, model))
  })
})
