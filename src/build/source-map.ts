// The separate source map of an executable, and the translation of stack traces with it:
//   bun src/build/source-map.ts tollgate.map < log
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { basename, relative, resolve } from 'node:path'

/** The maps of the bundle's files, by the file name in stack traces. */
type SourceMaps = Readonly<Record<string, SourceMapPayload>>

/**
 * Joins the maps of a bundle's files, without the sources, which are in the repository.
 * @param paths of the maps, each named as its file plus `.map`
 * @param root the folder to which source names become relative
 */
export function joinSourceMaps(paths: readonly string[], root: string): string {
  const maps = paths.toSorted().map((path) => {
    const { mappings, names, sources }: SourceMapPayload = JSON.parse(readFileSync(path, 'utf8'))
    // Bun's names are relative to the working directory.
    const named = sources.map((source) => relative(root, resolve(source)))
    return [basename(path, '.map'), { version: 3, mappings, names, sources: named }] as const
  })
  return `${JSON.stringify(Object.fromEntries(maps))}\n`
}

/** A position in an executable's stack trace: file, line and column, both counted from 1. */
const PLACE = /\/\$bunfs\/root\/([\w.-]+):(\d+):(\d+)/g

/** Replaces bundle positions in a stack trace or a log with source positions. Unknown positions stay. */
export function readableTrace(joined: string, text: string): string {
  const maps: SourceMaps = JSON.parse(joined)
  return text.replace(PLACE, (place, file: string, line: string, column: string) => {
    const map = maps[file]
    if (!map) return place
    const found = new SourceMap(map).findEntry(Number(line) - 1, Number(column) - 1)
    return 'originalSource' in found
      ? `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`
      : place
  })
}

if (import.meta.main) {
  const [, , path] = process.argv
  if (path === undefined) throw new Error('name the file: bun src/build/source-map.ts tollgate.map < log')
  process.stdout.write(readableTrace(readFileSync(path, 'utf8'), await Bun.stdin.text()))
}
