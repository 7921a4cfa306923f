// Text in lines that fit a terminal of 80 columns. Pure.

export const MAX_COLUMNS = 80

/** Lines of at most 80 columns; a word that is longer, such as an address, is cut into lines. */
export function wrapped(text: string, indent: string): string[] {
  const width = MAX_COLUMNS - indent.length
  const lines: string[] = []
  let line = ''
  for (let word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    for (; word.length > width; word = word.slice(width)) lines.push(word.slice(0, width))
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => indent + each)
}
