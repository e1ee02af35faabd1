variable "contract" {
  description = "The contract: the name of a template in Functions/Templates."
  type        = string
  default     = "latchkey"

  validation {
    condition     = fileexists("${path.module}/../../Functions/Templates/${var.contract}.json")
    error_message = "There is no template of this contract in Functions/Templates."
  }
}

variable "name" {
  description = "The prefix of all names. The name of the bucket must be unused in all of AWS."
  type        = string
  default     = "latchkey"

  validation {
    # A role's name has at most 64 characters, and the longest logical ID has 27.
    condition     = can(regex("^[a-z][a-z0-9-]{1,30}$", var.name))
    error_message = "Lower-case letters, digits and hyphens, at most 31."
  }
}

variable "packages" {
  description = "The folder with the zip of each function, as written by make package."
  type        = string
  default     = "../../.build/package"
}

variable "parameters" {
  description = "The parameters of the template by name, such as Issuer and MailFrom."
  type        = map(string)
}

variable "secret_parameters" {
  description = "Parameters that plans hide and states contain, such as AdminPasswordHash."
  type        = map(string)
  default     = {}
  sensitive   = true
}

# The validation of a variable cannot refer to the template.
resource "terraform_data" "parameters" {
  lifecycle {
    precondition {
      condition     = length(local.unknown_parameters) == 0
      error_message = "Not a parameter of the template: ${join(", ", local.unknown_parameters)}."
    }

    precondition {
      condition     = length(local.missing_parameters) == 0
      error_message = "Required: ${join(", ", local.missing_parameters)}."
    }

    precondition {
      condition = length(local.malformed_parameters) == 0
      error_message = join("", [
        "Malformed: ${join(", ", local.malformed_parameters)}. ",
        "See the template for what is accepted.",
      ])
    }

    precondition {
      # The template's rule: docs/deploying.md, "Behind a proxy".
      condition = (
        try(tonumber(local.parameters.TrustedHops), 0) == 0
        || try(local.parameters.DisableDefaultEndpoint, "") == "true"
      )
      error_message = "TrustedHops above 0 needs DisableDefaultEndpoint = \"true\"."
    }

    precondition {
      condition = (
        try(local.parameters.Issuer, "none") != ""
        || try(local.parameters.DomainName, "") != ""
      )
      error_message = "Give DomainName and CertificateArn, or the Issuer."
    }

    precondition {
      condition = (
        try(local.parameters.DomainName, "") == ""
        || try(local.parameters.CertificateArn, "") != ""
      )
      error_message = "DomainName needs the CertificateArn of its certificate."
    }

    precondition {
      condition = length(local.unknown_types) == 0
      error_message = join("", [
        "The template has resources that these files do not make: ",
        "${join(", ", local.unknown_types)}.",
      ])
    }
  }
}
