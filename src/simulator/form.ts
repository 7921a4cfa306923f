// Multipart forms as JSON objects: fields by their names, files in base64.
import type { JsonObject } from './json.ts'

export const isForm = ({ headers }: Request): boolean =>
  (headers.get('content-type') ?? '').startsWith('multipart/form-data')

/** Each name with all of its values, texts and files alike; undefined where the body is not a form. */
export async function readForm(request: Request): Promise<JsonObject | undefined> {
  // A body that cannot be parsed is refused by the caller of this function, like JSON that cannot.
  const form = await request.formData().catch(() => undefined)
  if (!form) return undefined
  const fields: Record<string, string[]> = {}
  for (const [name, value] of form.entries()) {
    const text = typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64')
    fields[name] = [...(fields[name] ?? []), text]
  }
  return fields
}
