// Search dialog: arrow keys choose a result, Enter opens it.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useDebounced } from '../parts/debounced.ts'
import { Dialog } from '../parts/dialog.tsx'
import { SearchInput } from '../parts/input.tsx'
import { FailedState } from '../parts/states.tsx'
import type { Hit, PageEntry, Search } from './page-entry.ts'

const MIN_CHARS = 2

interface SearchDialogProps {
  open: boolean
  onClose: () => void
  search: Search
  pages: readonly PageEntry[]
}

export function SearchDialog({ open, onClose, ...found }: SearchDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Search" wide>
      <SearchBox onClose={onClose} {...found} />
    </Dialog>
  )
}

/** Enter opens the chosen result at once, or as soon as the results are there. */
function useEnter(hit: Hit | undefined, is_found: boolean, onClose: () => void) {
  const [is_pressed, setPressed] = useState(false)
  const [, go] = useLocation()
  useEffect(() => {
    if (!is_pressed || !is_found) return
    setPressed(false)
    if (!hit) return
    onClose()
    go(hit.href)
  }, [is_pressed, is_found, hit, onClose, go])
  return { press: () => setPressed(true), forget: () => setPressed(false) }
}

/** Returns the pages with a word in their title or search words that begins with `words`. */
const findPages = (pages: readonly PageEntry[], words: string): Hit[] =>
  pages
    .filter(
      ({ path, title, also = '' }) =>
        !path.includes(':') && ` ${title.toLowerCase()} ${also}`.includes(` ${words.toLowerCase()}`),
    )
    .map(({ title, path }) => ({ kind: 'page', label: title, href: path }))

function SearchBox({ onClose, search, pages }: Omit<SearchDialogProps, 'open'>) {
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const sought = useDebounced(words.trim())
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['search', sought],
    queryFn: () => search(sought),
    enabled: sought.length >= MIN_CHARS,
  })
  const hits = sought.length >= MIN_CHARS && data ? [...findPages(pages, sought), ...data] : []
  const chosen = Math.min(at, hits.length - 1)
  const is_found = data !== undefined && !isPlaceholderData && sought === words.trim()
  const enter = useEnter(hits[chosen], is_found, onClose)

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && hits.length > 0) {
      event.preventDefault()
      setAt((chosen + step + hits.length) % hits.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      enter.press()
    }
  }

  return (
    <>
      <SearchInput
        aria-label="Search"
        placeholder="Page, account, key, request ID, model or provider"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={list}
        aria-activedescendant={hits.length > 0 ? `${list}-${chosen}` : undefined}
        value={words}
        onChange={(typed) => {
          setWords(typed)
          setAt(0)
          enter.forget()
        }}
        onKeyDown={press}
      />
      {error && <FailedState failure={error} />}
      <Hits hits={hits} list={list} chosen={chosen} onChosen={onClose} />
      {data && hits.length === 0 && sought.length >= MIN_CHARS && (
        <p className="soft" role="status">
          No results for “{sought}”. Search for any part of a name, the beginning of a key, or the first 12
          characters of a request ID.
        </p>
      )}
    </>
  )
}

interface HitsProps {
  hits: readonly Hit[]
  list: string
  chosen: number
  onChosen: () => void
}

function Hits({ hits, list, chosen, onChosen }: HitsProps) {
  return (
    <div id={list} role="listbox" aria-label="Found">
      {hits.map(({ kind, label, detail, href }, at) => (
        <Link
          key={`${kind} ${href}`}
          id={`${list}-${at}`}
          role="option"
          aria-selected={at === chosen}
          tabIndex={-1}
          className="float-item"
          data-highlighted={at === chosen ? '' : undefined}
          href={href}
          onClick={onChosen}
        >
          <span>
            {label}
            {detail && <div className="small soft">{detail}</div>}
          </span>
          <small className="soft">{kind}</small>
        </Link>
      ))}
    </div>
  )
}
