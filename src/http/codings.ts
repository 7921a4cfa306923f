// The content coding of an answer that is kept in several: the first one that the caller takes.

/**
 * The first of the codings on offer that a caller takes; `identity` where they take none.
 * RFC 9110, 12.5.3: a weight of 0 refuses a coding, and `*` stands for those that are not named.
 * @param offered the preferred one first
 */
export function acceptedCoding<const Coding extends string>(
  header: string | null,
  offered: readonly Coding[],
): Coding | 'identity' {
  const weights = new Map((header ?? '').toLowerCase().split(',').map(readCoding))
  const isTaken = (coding: Coding): boolean => (weights.get(coding) ?? weights.get('*') ?? 0) > 0
  return offered.find(isTaken) ?? 'identity'
}

/** `gzip;q=0.5` as its name and its weight. */
function readCoding(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
  return [name, weight === undefined ? 1 : Number(weight)]
}
