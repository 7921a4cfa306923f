// The form-encoded bodies of Stripe's API: nested fields in brackets, as objects and lists. Pure.

export type Field = string | Fields | Field[]
export interface Fields {
  [name: string]: Field
}

/** @throws Error for an invalid name, or one that is both a value and more */
export function readForm(text: string): Fields {
  const root: Fields = {}
  for (const [name, value] of new URLSearchParams(text)) put(root, pathOf(name), value)
  return listed(root) as Fields
}

function pathOf(name: string): string[] {
  const match = /^([a-z0-9_]+)((?:\[[a-z0-9_]*\])*)$/.exec(name)
  if (!match) throw new Error(`not a name of a parameter: ${name}`)
  const [, first = '', rest = ''] = match
  return [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, part = '']) => part)]
}

function put(root: Fields, path: readonly string[], value: string): void {
  let at: Fields = root
  for (const [index, part] of path.entries()) {
    const name = part === '' ? String(Object.keys(at).length) : part
    if (index === path.length - 1) {
      if (at[name] !== undefined) throw new Error(`a parameter is there twice: ${path.join('.')}`)
      at[name] = value
      return
    }
    const next = at[name] ?? {}
    at[name] = next
    if (typeof next === 'string') throw new Error(`a parameter is a value and more: ${path.join('.')}`)
    at = next as Fields
  }
}

/** Objects whose fields are 0, 1, 2 … are lists. */
function listed(field: Field): Field {
  if (typeof field === 'string' || Array.isArray(field)) return field
  const names = Object.keys(field)
  const values = names.map((name) => listed(field[name] ?? ''))
  const is_list = names.length > 0 && names.every((name, index) => name === String(index))
  return is_list ? values : Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}
