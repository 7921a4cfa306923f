// Paths of the catalogue for people: `models["gpt-5-mini"].price.input` in place of `models[2].price.input`. Pure.

/** @param path as a mistake has it @param values of the file that it is in */
export function namedPath(path: string, values: unknown): string {
  let place = values
  return path.replace(/([\w-]+)|\[(\d+)\]/g, (part, key: string | undefined, at: string) => {
    place = Reflect.get(Object(place), key ?? at)
    const { id, name = id } = Object(place)
    return key === undefined && typeof name === 'string' ? `[${JSON.stringify(name)}]` : part
  })
}
