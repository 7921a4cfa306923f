// Answers of every kind and surface from a gateway over the simulator, for typed clients to read.
import { type JsonObject, objectIn } from '../../../../src/protocols/wire/json.ts'
import { type AnswerType, REQUESTS, type Request } from './requests.ts'

export interface TypedAnswer {
  readonly type: AnswerType
  /** The request that it answers. */
  readonly name: string
  readonly json: JsonObject
}

/** Requests all of them from the gateway. @throws Error for an unexpected status */
export async function collectAnswers(origin: string, key: string): Promise<TypedAnswer[]> {
  const answers: TypedAnswer[] = []
  for (const request of REQUESTS) answers.push(...(await answersTo(request, origin, key)))
  const stored = answers.find(({ type, json }) => type === 'response' && json.status === 'completed')
  const path = `/v1/responses/${stored?.json.id}`
  answers.push(...(await answersTo({ type: 'response', name: 'kept', path }, origin, key)))
  const items = `${path}/input_items`
  answers.push(...(await answersTo({ type: 'response_items', name: 'kept', path: items }, origin, key)))
  return answers
}

async function answersTo(request: Request, origin: string, key: string): Promise<TypedAnswer[]> {
  const { type, path, body, status = 200 } = request
  const is_form = typeof body === 'function'
  const name = `${path} ${request.name}`
  const response = await fetch(`${origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(is_form ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(body === undefined ? {} : { body: is_form ? body() : JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status !== status) throw new Error(`${name}: ${response.status} ${text.slice(0, 500)}`)
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return [{ type, name, json: objectIn(JSON.parse(text)) }]
  const payloads = [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = '']) => data)
  if (payloads.length === 0) throw new Error(`${name}: the stream has no event`)
  return payloads.map((data) => ({ type, name: `${name}, streamed`, json: objectIn(JSON.parse(data)) }))
}
