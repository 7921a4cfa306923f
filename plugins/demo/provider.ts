// The demo provider: answers requests of the three protocols with generated content, so that a first start needs no provider's key.
import { isObject, type JsonObject } from '../../src/protocols/wire/json.ts'
import { Refused } from './ask.ts'
import { type Behaviour, behaviourOf, type Endpoint, type Served } from './endpoint.ts'
import { speech, transcription } from './protocols/audio.ts'
import { TEXT_ENDPOINTS } from './protocols/conversations.ts'
import { images } from './protocols/images.ts'
import { embeddings, geminiEmbeddings, moderations, rerank } from './protocols/vectors.ts'

const ENDPOINTS: readonly Endpoint[] = [
  ...TEXT_ENDPOINTS,
  images,
  speech,
  transcription,
  embeddings,
  geminiEmbeddings,
  moderations,
  rerank,
]

/** Answers a request by the end of its path, whatever precedes it, such as `/groq/chat/completions`. */
export async function provide(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const endpoint = ENDPOINTS.find(({ path }) => path.test(url.pathname))
  if (!endpoint) return new Response('Not found\n', { status: 404 })
  try {
    return await serve(endpoint, request, url)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const headers = error.status === 429 ? { 'retry-after': '7' } : {}
    return Response.json(endpoint.refusalBody(error), { status: error.status, headers })
  }
}

async function serve(endpoint: Endpoint, request: Request, url: URL): Promise<Response> {
  const body = await bodyOf(request)
  if (endpoint.keyOf(request).startsWith('bad')) throw new Refused(401, 'The API key is not valid.')
  if (!body) throw new Refused(400, 'Invalid JSON payload received.')
  const model = endpoint.modelOf(url, body)
  if (model === '') throw new Refused(400, 'you must provide a model parameter', 'model')
  const behaviour = behaviourOf(model)
  if (behaviour.slow) await Bun.sleep(behaviour.slow)
  if (behaviour.fail !== undefined && behaviour.fail >= 400 && behaviour.fail < 600)
    throw new Refused(behaviour.fail, `The demo provider answers with status ${behaviour.fail}.`)
  return responseOf(await endpoint.serve({ url, body, model, behaviour }), behaviour)
}

/** Reads a JSON body or a form, as in `Received`. @returns undefined if the body is neither */
async function bodyOf(request: Request): Promise<JsonObject | undefined> {
  try {
    if (!(request.headers.get('content-type') ?? '').startsWith('multipart/form-data')) {
      const body: unknown = await request.json()
      return isObject(body) ? body : undefined
    }
    const fields: Record<string, string[]> = {}
    for (const [name, value] of (await request.formData()).entries()) {
      const text =
        typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64')
      fields[name] = [...(fields[name] ?? []), text]
    }
    return fields
  } catch {
    // The reason is not needed: `serve` refuses the request.
    return undefined
  }
}

function responseOf(sent: Served, behaviour: Behaviour): Response {
  if ('json' in sent) return Response.json(sent.json)
  const { content_type = 'text/event-stream; charset=utf-8' } = 'bytes' in sent ? sent : {}
  const body = 'bytes' in sent ? sent.bytes : streamOf(sent.events, behaviour)
  return new Response(body, { headers: { 'content-type': content_type } })
}

/** Streams events with backpressure: a slow reader slows down the stream. */
function streamOf(events: readonly string[], { pace = 0, break: broken_at }: Behaviour): ReadableStream {
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      if (at > 0 && pace > 0) await Bun.sleep(pace)
      if (at === broken_at) throw new Error('The demo provider broke the connection.')
      const event = events[at++]
      if (event === undefined) controller.close()
      else controller.enqueue(Buffer.from(event))
    },
  })
}
