// What is written of routes, by their methods and their paths as the converter names them; and the routes that are left out.
import type { Grouped, Tag, Written } from '../../../src/app/reference/operation.ts'
import type { Schema } from '../../../src/app/reference/schema.ts'
import { audio } from '../../audio/reference.ts'
import { chat, chatSchemas } from '../../chat/reference.ts'
import { images, imagesSchemas } from '../../images/reference.ts'
import { judging } from '../../moderations/reference.ts'
import { messages, messagesSchemas } from '../../messages/reference.ts'
import { native, nativeSchemas } from '../../native/reference.ts'
import { responses, responsesSchemas } from '../../responses/reference.ts'

const GROUPS: Readonly<Partial<Record<Tag, readonly Written[]>>> = {
  'Gemini API': native,
  'Anthropic API': messages,
  'OpenAI API': [...responses, ...chat],
  Images: images,
  Audio: audio,
  'Moderations and rerank': judging,
}

/** By their routes: one with a wildcard may be several operations. */
export const WRITTEN: Readonly<Record<string, readonly Grouped[] | undefined>> = Object.groupBy(
  Object.entries(GROUPS).flatMap(([tag, group]) => group.map((one) => ({ ...one, tag: tag as Tag }))),
  ({ route }) => route,
)

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...nativeSchemas,
  ...messagesSchemas,
  ...responsesSchemas,
  ...chatSchemas,
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
  [/^GET \/v1\/responses$/, 'a WebSocket, which OpenAPI cannot describe: the description of POST does'],
]

/** Why a route is left out; undefined for one that is not. */
export const reasonToLeaveOut = (route: string): string | undefined =>
  LEFT_OUT.find(([pattern]) => pattern.test(route))?.[1]
