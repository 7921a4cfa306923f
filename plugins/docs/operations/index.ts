// What is written of each route, by its method and its path as the converter names it; and the routes that are left out.
import type { Written } from '../operation.ts'
import type { Schema } from '../schema.ts'
import { billing, catalogue, healthChecks } from './account.ts'
import { speech, transcriptions, translations } from './audio.ts'
import { chat, completions, embeddings } from './chat.ts'
import { chatSchemas } from './chat-schemas.ts'
import { files } from './files.ts'
import { history, imagesSchemas, making } from './images.ts'
import { moderations, rerank } from './judging.ts'
import { messages } from './messages.ts'
import { messagesSchemas } from './messages-schemas.ts'
import { generateContent, nativeModels } from './native.ts'
import { nativeSchemas } from './native-schemas.ts'
import { responses } from './responses.ts'
import { responsesSchemas } from './responses-schemas.ts'

/** In the order of the document. A route with a wildcard may be several operations. */
export const WRITTEN: Readonly<Record<string, readonly Written[]>> = {
  'POST /v1beta/models/*': generateContent,
  ...nativeModels,
  ...messages,
  ...responses,
  'POST /v1/chat/completions': chat,
  'POST /v1/completions': completions,
  'POST /v1/embeddings': embeddings,
  ...making,
  ...history,
  'POST /v1/audio/speech': speech,
  'POST /v1/audio/transcriptions': transcriptions,
  'POST /v1/audio/translations': translations,
  'POST /v1/moderations': moderations,
  ...rerank,
  ...files,
  ...catalogue,
  ...billing,
  ...healthChecks,
}

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...nativeSchemas,
  ...messagesSchemas,
  ...chatSchemas,
  ...responsesSchemas,
  ...imagesSchemas,
}

/** Routes that the document leaves out, unless they are written above; the first that fits says why. */
export const LEFT_OUT: readonly (readonly [route: RegExp, reason: string])[] = [
  [/^\w+ \/console(\/|$)/, 'the console: made for its own pages, and changed together with them'],
  [/^\w+ \/docs(\/|$)/, 'this reference itself'],
  [/^GET \/metrics$/, 'for Prometheus, which has its own format; not there unless [metrics] has a token'],
  [/^GET \/$/, 'leads browsers to the console'],
  [/^POST \/v1\/models\/\*$/, 'the same as under /v1beta/models/, which the tag of the native API says'],
  [/^\w+ \/(upload\/)?v1(beta)?\/\*$/, 'methods of the native API that are not here: 501 or 404'],
  [/^\w+ \/v1\/\{area\}(\/\*)?$/, 'what exists at a provider but not here: 404 with what to do instead'],
  [/^\w+ \/v1\/messages(\/\*)?$/, 'methods of messages that are not here: 404'],
  [/^POST \/v1\/images\/variations$/, 'not made here: 501 with what to do instead'],
  [/^POST \/v1\/responses\/\{id\}\/cancel$/, 'nothing is made in the background: always 400'],
  [/^GET \/v1\/responses$/, 'there is no WebSocket: 426, or 404'],
]

/** Why a route is left out; undefined for one that is not. */
export const reasonToLeaveOut = (route: string): string | undefined =>
  LEFT_OUT.find(([pattern]) => pattern.test(route))?.[1]
