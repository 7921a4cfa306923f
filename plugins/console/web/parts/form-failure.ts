// The failure of a form, as its fields see it.
import { createContext } from 'react'

export interface FormFailureParts {
  /** A field says that errors under this name are its own. @returns how it takes that back */
  announce: (name: string) => () => void
  /** The error of a field, until the form is sent again. */
  errorOf: (name: string) => string | null
}

/** Outside of a form there is no failure. */
export const FormFailure = createContext<FormFailureParts>({ announce: () => () => {}, errorOf: () => null })
