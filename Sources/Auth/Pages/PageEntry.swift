internal import Contracts

@section("latchkey_contracts") @used
private let entry: ContractEntry = {
    Contract.registerPages(unrouted: UnroutedPages.answer) { pages in
        AdminConsole(pages: pages).all
            + (pages.areForUsers ? PageEndpoints.all + FirstAdministratorPage.endpoints : [])
    }
}
