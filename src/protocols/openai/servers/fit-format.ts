// The format of a chat completion, made to fit what its server takes: JSON by a schema, and the word that JSON needs.
import { JSON_WORD } from '../../instructions.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../../wire/json.ts'
import { contentText } from '../reasoning.ts'
import type { Fitting } from './fitting.ts'

/** https://platform.openai.com/docs/guides/structured-outputs#json-mode, https://github.com/browserbase/stagehand/issues/1204 */
export function fitFormat({ body, rules, is_translated, dropped }: Fitting): JsonObject {
  const { type, json_schema } = objectIn(body.response_format)
  if (type === 'json_schema' && rules.lacks_schemas) {
    dropped.add('response_format')
    const { schema } = objectIn(json_schema)
    return { ...withWords(body, schemaWords(schema)), response_format: { type: 'json_object' } }
  }
  const lacks_word = type === 'json_object' && is_translated && !objectsIn(body.messages).some(mentionsJson)
  return lacks_word ? withWords(body, JSON_WORD) : body
}

const schemaWords = (schema: Json | undefined): string =>
  isObject(schema) ? `${JSON_WORD} It matches this JSON schema: ${JSON.stringify(schema)}` : JSON_WORD

const mentionsJson = ({ content }: JsonObject): boolean => /json/i.test(contentText(content))

/** After the system prompt, which stays the beginning of what a provider caches. */
function withWords(body: JsonObject, content: string): JsonObject {
  const messages = Array.isArray(body.messages) ? body.messages : []
  const begins = messages.findIndex((message) => !isSystem(message))
  const at = begins < 0 ? messages.length : begins
  return { ...body, messages: messages.toSpliced(at, 0, { role: 'system', content }) }
}

const isSystem = (message: Json): boolean =>
  isObject(message) && ['system', 'developer'].includes(stringIn(message.role) ?? '')
