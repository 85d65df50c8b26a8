/**
 * The part of recheck that is used. In the package, this file holds it: recheck brings 60 MB with its programs for Java and
 * for each system.
 */
export { check, type Diagnostics } from 'recheck';
