// Multipart forms as JSON objects: fields by their names, files in base64.
import { type JsonObject, listOf, textOf } from './json.ts'

export const isForm = ({ headers }: Request): boolean =>
  (headers.get('content-type') ?? '').startsWith('multipart/form-data')

/** Each name with all of its values, texts and files alike; undefined if the body is not a form. */
export async function readForm(request: Request): Promise<JsonObject | undefined> {
  // The reason is dropped: the caller of this function refuses the body, as it refuses invalid JSON.
  const form = await request.formData().catch(() => undefined)
  if (!form) return undefined
  const fields: Record<string, string[]> = {}
  for (const [name, value] of form.entries()) {
    const text = typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64')
    fields[name] = [...(fields[name] ?? []), text]
  }
  return fields
}

/** A field's text, from JSON or from a form, which has a list for each name. */
export const fieldOf = (body: JsonObject, name: string): string => {
  const [value] = listOf(body[name])
  return value === undefined ? String(body[name] ?? '') : textOf(value)
}
