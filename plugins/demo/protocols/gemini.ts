// The Gemini API: generateContent and its stream, countTokens, batchEmbedContents.
import { type Json, type JsonObject, objectIn } from '../../../src/protocols/wire/json.ts'
import { answerTo, inputTokens } from '../answer.ts'
import { type Answer, type Ask, Refused } from '../ask.ts'
import { embed } from '../embedding.ts'
import type { Endpoint, Received, Served } from '../endpoint.ts'
import { lines, listIn, numberIn, objectsOf, textIn } from '../json.ts'
import { countTokens, streamed } from '../text.ts'

const PATH = /\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/
const MAX_TOKENS = 65_536
const DOCUMENT_TOKENS = 258
const AUDIO_BYTES_A_TOKEN = 250
const DIMENSIONS = 3_072

const STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
])

export const gemini: Endpoint = {
  path: PATH,
  keyOf: ({ headers, url }) => headers.get('x-goog-api-key') ?? new URL(url).searchParams.get('key') ?? '',
  modelOf: ({ pathname }) => decodeURIComponent(PATH.exec(pathname)?.[1] ?? ''),
  serve(received) {
    const { url, body } = received
    const method = PATH.exec(url.pathname)?.[2]
    if (method === 'batchEmbedContents') return embeddings(body)
    if (method === 'countTokens') return counted(received)
    if (method === 'generateContent') return generated(received, false)
    if (method === 'streamGenerateContent') return generated(received, true)
    throw new Refused(404, `The method ${method} is not found.`)
  },
  refusalBody: ({ status, message }) => ({
    error: { code: status, message, status: STATUS.get(status) ?? 'UNKNOWN' },
  }),
}

/** A field in either of the API's spellings. */
const field = (object: JsonObject, name: string): Json | undefined =>
  object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]

const fields = (object: JsonObject, name: string): JsonObject => objectIn(field(object, name))

function askOf(model: string, body: JsonObject): Ask {
  const contents = objectsOf(body.contents)
  if (contents.length === 0) throw new Refused(400, 'contents is not specified', 'contents')
  const parts = contents.flatMap(partsOf)
  const said = contents.findLast(
    ({ role, ...content }) => role !== 'model' && resultsIn(content).length === 0,
  )
  const config = fields(body, 'generationConfig')
  const schema = field(config, 'responseSchema') ?? field(config, 'responseJsonSchema')
  return {
    model,
    prompt: lines([...partsOf(fields(body, 'systemInstruction')), ...parts].map(promptText)),
    last_text: lines(partsOf(said ?? {}).map(({ text }) => textIn(text))),
    ...mediaOf(parts),
    ...toolsOf(body),
    results: resultsIn(contents.at(-1) ?? {}).map((result) => JSON.stringify(result.response ?? {})),
    json: textIn(field(config, 'responseMimeType')) === 'application/json' ? { schema } : undefined,
    max_tokens: numberIn(field(config, 'maxOutputTokens')) ?? MAX_TOKENS,
    stops: listIn(field(config, 'stopSequences')).map(textIn),
    shape: textIn(field(fields(config, 'imageConfig'), 'aspectRatio')),
  }
}

const partsOf = (content: JsonObject): JsonObject[] => objectsOf(content.parts)

const resultsIn = (content: JsonObject): JsonObject[] =>
  partsOf(content).flatMap((part) => objectsOf(field(part, 'functionResponse')))

function promptText(part: JsonObject): string {
  const structured = field(part, 'functionCall') ?? field(part, 'functionResponse')
  return structured === undefined ? textIn(part.text) : JSON.stringify(structured)
}

function mediaOf(parts: readonly JsonObject[]): Pick<Ask, 'images' | 'media_tokens'> {
  const media = parts
    .map((part) => objectIn(field(part, 'inlineData') ?? field(part, 'fileData')))
    .map((inline) => ({ type: textIn(field(inline, 'mimeType')), data: textIn(inline.data) }))
    .filter(({ type }) => type !== '')
  const isImage = ({ type }: { type: string }) => type.startsWith('image/')
  const others = media.filter((one) => !isImage(one))
  const tokens = others.map(({ type, data }) =>
    type.startsWith('audio/') ? Math.ceil((data.length * 0.75) / AUDIO_BYTES_A_TOKEN) : DOCUMENT_TOKENS,
  )
  return {
    images: media.filter(isImage).map(({ data }) => data),
    media_tokens: tokens.reduce((sum, count) => sum + count, 0),
  }
}

const CALLING: Readonly<Record<string, Ask['calling']>> = { ANY: 'any', NONE: 'none' }

function toolsOf(body: JsonObject): Pick<Ask, 'tools' | 'calling'> {
  const calling = fields(fields(body, 'toolConfig'), 'functionCallingConfig')
  const allowed = listIn(field(calling, 'allowedFunctionNames')).map(textIn)
  const tools = objectsOf(body.tools)
    .flatMap((tool) => objectsOf(field(tool, 'functionDeclarations')))
    .map((tool) => ({
      name: textIn(tool.name),
      schema: tool.parameters ?? field(tool, 'parametersJsonSchema'),
    }))
  return {
    tools: allowed.length === 0 ? tools : tools.filter(({ name }) => allowed.includes(name)),
    calling: CALLING[textIn(calling.mode)] ?? 'auto',
  }
}

async function generated({ url, model, body, behaviour }: Received, is_stream: boolean): Promise<Served> {
  const answer = await answerTo(askOf(model, body), behaviour)
  const steps = stepsOf(answer)
  if (!is_stream) {
    const said = answer.text.length > 0 ? [{ text: answer.text.join('') }] : []
    const parts = [...said, ...steps.map(({ part }) => part).filter(({ text }) => text === undefined)]
    return { json: response(model, answer, parts, answer.usage.output, true) }
  }
  let output = 0
  const payloads = (steps.length === 0 ? [{ part: { text: '' }, tokens: 0 }] : steps).map((step, at) => {
    output += step.tokens
    return JSON.stringify(response(model, answer, [step.part], output, at >= steps.length - 1))
  })
  // Without `alt=sse` a stream is one JSON array, sent element by element.
  const [before, after] = url.searchParams.get('alt') === 'sse' ? ['data: ', '\r\n\r\n'] : ['', ',\r\n']
  if (before !== '') return { events: payloads.map((payload) => before + payload + after) }
  return { bytes: `[${payloads.join(after)}]\n`, content_type: 'application/json; charset=UTF-8' }
}

/** The parts of an answer, with their tokens of output. */
const stepsOf = ({ text, calls, pictures, usage }: Answer): { part: JsonObject; tokens: number }[] => [
  ...streamed(text).map((piece) => ({ part: { text: piece }, tokens: countTokens(piece) })),
  ...calls.map(({ name, args }) => ({ part: { functionCall: { name, args } }, tokens: usage.output })),
  ...pictures.map((data) => ({
    part: { inlineData: { mimeType: 'image/png', data } },
    tokens: usage.pictures / pictures.length,
  })),
]

/** @param output tokens so far */
function response(model: string, answer: Answer, parts: object[], output: number, is_last: boolean): object {
  const { input, images, pictures } = answer.usage
  const finish = is_last ? { finishReason: answer.finish === 'stop' ? 'STOP' : 'MAX_TOKENS' } : {}
  return {
    candidates: [{ content: { parts, role: 'model' }, ...finish, index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: input - images },
        ...(images > 0 ? [{ modality: 'IMAGE', tokenCount: images }] : []),
      ],
      ...(pictures > 0 && is_last
        ? { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: pictures }] }
        : {}),
    },
    modelVersion: model,
    responseId: answer.id,
  }
}

function counted({ model, body }: Received): Served {
  const totalTokens = inputTokens(askOf(model, objectIn(body.generateContentRequest ?? body)))
  return { json: { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] } }
}

function embeddings(body: JsonObject): Served {
  const requests = objectsOf(body.requests)
  if (requests.length === 0) throw new Refused(400, 'requests is not specified', 'requests')
  const texts = requests.map(({ content }) =>
    lines(partsOf(objectIn(content)).map(({ text }) => textIn(text))),
  )
  const promptTokenCount = texts.reduce((sum, text) => sum + countTokens(text), 0)
  return {
    json: {
      embeddings: texts.map((text, at) => ({
        values: embed(text, numberIn(field(requests[at] ?? {}, 'outputDimensionality')) ?? DIMENSIONS),
      })),
      usageMetadata: { promptTokenCount },
    },
  }
}
