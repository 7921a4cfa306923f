// The check of native answers that pass through. Google's clients need no missing fields filled in, but a call without a name is useless.
import { UpstreamFault } from '../../domain/errors.ts'
import type { Completer } from '../completing.ts'
import { decodeByteString } from '../wire/byte-string.ts'
import { isObject, type JsonObject, objectsIn, parseObject } from '../wire/json.ts'
import { quoted } from '../wire/json-text.ts'
import { DONE } from '../wire/sse.ts'
import { partsOf } from './decode-answer.ts'

const CALL = quoted('functionCall')

/** With streamFunctionCallArguments, Vertex AI streams arguments in parts without a name; none of those has `args`. */
const isNameless = ({ functionCall }: JsonObject): boolean =>
  isObject(functionCall) && isObject(functionCall.args) && (functionCall.name ?? '') === ''

function rejectNamelessCalls(answer: JsonObject): JsonObject {
  if (objectsIn(answer.candidates).some((candidate) => partsOf(candidate).some(isNameless)))
    throw new UpstreamFault('the upstream sent a tool call without a name')
  return answer
}

export const completing: Completer = {
  whole: rejectNamelessCalls,
  stream: () => (data) => {
    if (data === DONE) return undefined
    if (data.includes(CALL)) rejectNamelessCalls(parseObject(decodeByteString(data)) ?? {})
    return data
  },
}
