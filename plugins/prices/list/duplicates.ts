// Names that stand twice in one object of a price list: JSON.parse takes the last, and says nothing of the others. Pure.

/** Strings and signs of a text that is JSON; numbers and words do not matter here. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g
/** Of the list itself, and of its models: what is deeper is no price. */
const MAX_DEPTH = 2

/**
 * @param json a text that JSON.parse takes
 * @returns each name once, as `model`, or `model: field`, in the order of the text
 */
export function duplicatesIn(json: string): string[] {
  const found = new Set<string>()
  /** The names of the objects around the place; null for a list. */
  const around: (Set<string> | null)[] = []
  let model = ''
  let is_name = false
  for (const [token] of json.matchAll(TOKENS)) {
    const names = around.at(-1)
    if (token === '{' || token === '[') around.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') around.pop()
    else if (token !== ',' && is_name && names && around.length <= MAX_DEPTH) {
      const name: string = JSON.parse(token)
      if (names.has(name)) found.add(around.length === 1 ? name : `${model}: ${name}`)
      names.add(name)
      if (around.length === 1) model = name
    }
    is_name = (token === '{' || token === ',') && around.at(-1) !== null
  }
  return [...found]
}
