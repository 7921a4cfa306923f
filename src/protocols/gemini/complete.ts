// Native answers as they pass: Google's clients need nothing that servers leave out, but a call without a name calls nothing.
import { UpstreamFault } from '../../domain/errors.ts'
import type { Completing } from '../completing.ts'
import { decodeByteString } from '../wire/byte-string.ts'
import { isObject, type JsonObject, objectsIn, parseObject } from '../wire/json.ts'
import { quoted } from '../wire/json-text.ts'
import { DONE } from '../wire/sse.ts'
import { partsOf } from './decode-answer.ts'

const CALL = quoted('functionCall')

/** Vertex AI streams arguments in parts without a name, and none of them has `args`: streamFunctionCallArguments. */
const isNameless = ({ functionCall }: JsonObject): boolean =>
  isObject(functionCall) && isObject(functionCall.args) && (functionCall.name ?? '') === ''

function checked(answer: JsonObject): JsonObject {
  if (objectsIn(answer.candidates).some((candidate) => partsOf(candidate).some(isNameless)))
    throw new UpstreamFault('the upstream sent a tool call without a name')
  return answer
}

export const completing: Completing = {
  whole: checked,
  stream: () => (data) => {
    if (data === DONE) return undefined
    if (data.includes(CALL)) checked(parseObject(decodeByteString(data)) ?? {})
    return data
  },
}
