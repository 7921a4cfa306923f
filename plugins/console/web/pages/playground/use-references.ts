// The pictures to work from: those that are pressed, those that are dropped, and the one that another page sent here.
import { useEffect, useState } from 'react'
import { MAX_REFERENCES } from './drawing.ts'
import type { Reference } from './reference.ts'
import { useAskedReference } from './use-asked-reference.ts'

export function useReferences() {
  const [references, setReferences] = useState<readonly Reference[]>([])
  const asked = useAskedReference()
  useEffect(() => {
    if (asked) setReferences([asked])
  }, [asked])

  const isChosen = ({ id }: Pick<Reference, 'id'>): boolean => references.some((each) => each.id === id)
  /** Takes it, in place of the oldest where there are enough; or lets it go. */
  function toggle(reference: Reference): void {
    if (isChosen(reference)) setReferences(references.filter(({ id }) => id !== reference.id))
    else setReferences([...references, reference].slice(-MAX_REFERENCES))
  }
  return { references, setReferences, isChosen, toggle }
}
