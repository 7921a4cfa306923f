// Link in a sentence to a page that needs a right; plain text for viewers without it.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Right } from '../../../../src/access/rights.ts'
import { useMay } from '../app/session.tsx'

interface RightLinkProps {
  href: string
  right: Right
  children: ReactNode
}

export const RightLink = ({ href, right, children }: RightLinkProps) =>
  useMay(right) ? <Link href={href}>{children}</Link> : children
